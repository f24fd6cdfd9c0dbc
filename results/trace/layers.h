#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "results/trace/steps.h"

namespace bench {

// A layer whose time differs from the others' by more than a tenth and five times their spread.
struct OutlierLayer {
  std::int64_t layer = 0;  // from 0
  double seconds = 0;
};

// The layers of a decode step: the most kernels recur as often as there are layers. Times are
// medians over the steps of the sum of a layer's activities.
struct Layers {
  std::int64_t count = 0;                        // 0: no repetition within a step
  double median_s = 0;                           // of a layer
  std::vector<double> seconds;                   // of each layer
  std::array<double, kCategories> category_s{};  // of the median layer, on average over layers
  std::vector<OutlierLayer> outliers;
};

// `steps` of `split` are looked at where `used` says so.
struct StepView {
  const Classes& classes;
  std::span<const Activity> activities;
  const StepSplit& split;
  const std::vector<TraceStep>& steps;
  StepKind kind = StepKind::decode;

  [[nodiscard]] bool in_step(std::size_t activity) const {
    const std::uint32_t step = split.of[activity];
    return step != kNone && steps[step].kind == kind;
  }
  [[nodiscard]] std::int64_t step_count() const;
};

// How often each class runs in each step: [class][step], of the view's steps in order.
std::vector<std::vector<std::int64_t>> counts_of(const StepView& view);

// What a class's counts are in all steps but the odd one: one in ten, or one of three and more, as
// a step cut short or one with a request more. 0: there is no such number.
std::int64_t usual_count(std::vector<std::int64_t> counts);

Layers find_layers(const StepView& view);

}  // namespace bench
