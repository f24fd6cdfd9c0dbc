#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/parameters.h"
#include "workloads/yaml.h"

namespace bench {

struct SweepAxis {
  const ParameterInfo* info = nullptr;
  Where where;  // of its key
  std::vector<ParameterValue> values;
  std::vector<Where> places;  // of each value
};

// Axes that move together: one of `sweep:`, or all of `zip:`.
struct Dimension {
  std::vector<SweepAxis> axes;  // all of one length
  [[nodiscard]] std::size_t length() const { return axes.front().values.size(); }
};

// One rule of `skip:`: the points where each named axis has one of the values.
struct SkipRule {
  struct Match {
    std::string_view axis;
    std::vector<ParameterValue> values;
  };
  std::vector<Match> matches;
  std::string reason;
};

// `sweep:` and `zip:` of a workload, in the order of the file. Complains of axes that are empty,
// repeat a value, cannot tell cases apart, or have unequal lengths under `zip:`.
std::vector<Dimension> read_axes(const Yaml& workload);

// `skip:`. Every value it names must be on its axis, unless --set replaced that axis.
std::vector<SkipRule> read_skips(const Yaml& workload, const std::vector<Dimension>& dimensions);

// Points of the product, or most + 1 when there are more than `most`.
std::int64_t count_points(const std::vector<Dimension>& dimensions, std::int64_t most);

const SweepAxis* find_axis(const std::vector<Dimension>& dimensions, std::string_view name);

}  // namespace bench
