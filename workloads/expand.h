#pragma once

#include <map>
#include <string>
#include <vector>

#include "workloads/axes.h"
#include "workloads/models.h"
#include "workloads/settings.h"
#include "workloads/workload.h"

namespace bench {

// Finds presets, each file read once.
class Models {
 public:
  Models(std::vector<std::string> folders, std::string base)
      : folders_(std::move(folders)), base_(std::move(base)) {}
  const Preset& get(const std::string& name, const Where& where);

 private:
  std::vector<std::string> folders_;
  std::string base_;
  std::map<std::string, Preset> known_;
};

// The points of a workload: the product of its dimensions, the first the slowest, each over the
// model's preset and the workload's own values. Complains, at the axis, of a point that cannot be,
// unless a skip covers it. `where` is the workload's.
std::vector<Point> expand(const Settings& settings, const std::vector<Dimension>& dimensions,
                          const std::vector<SkipRule>& skips, const Where& where, Models& models);

}  // namespace bench
