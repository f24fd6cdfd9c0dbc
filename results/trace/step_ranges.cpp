#include <algorithm>
#include <map>

#include "harness/format.h"
#include "results/trace/steps.h"

namespace bench {
namespace {

// ProfilerStep#4 -> ProfilerStep, step[DECODE bs=1] -> step, layer_7.attn -> layer_
std::string family_of(const std::string& name) {
  return name.substr(0, name.find_first_of("0123456789#[( <="));
}

struct Family {
  std::vector<const HostRange*> ranges;  // by start
  std::int64_t covered_ns = 0;           // time of the activities launched in them
};

// The range in which the activity was launched; nullptr: none.
const HostRange* range_of(const Trace& trace, const Family& family, const Activity& activity) {
  if (activity.launch == kNone) return nullptr;
  const std::int64_t at = trace.launches[activity.launch].start_ns;
  auto after = std::ranges::upper_bound(family.ranges, at, {}, &HostRange::start_ns);
  if (after == family.ranges.begin()) return nullptr;
  const HostRange* range = *--after;
  return at <= range->end_ns ? range : nullptr;
}

std::map<std::string, Family> families_of(const Trace& trace,
                                          std::span<const Activity> activities) {
  std::map<std::string, Family> families;
  for (const HostRange& range : trace.ranges) {
    const std::string& name = trace.names[range.name];
    if (name.starts_with("nccl:")) continue;
    families[family_of(name)].ranges.push_back(&range);
  }
  for (auto& [name, family] : families) {
    for (const Activity& activity : activities) {
      if (range_of(trace, family, activity) != nullptr) family.covered_ns += activity.duration_ns;
    }
  }
  return families;
}

// ProfilerStep where it says most; else, of the families that cover (nearly) the most time, the one
// of the fewest ranges: a step, and not the layers in it.
const Family* choose(const std::map<std::string, Family>& families, std::string& name) {
  std::int64_t most = 0;
  for (const auto& [key, family] : families) {
    if (family.ranges.size() >= 2) most = std::max(most, family.covered_ns);
  }
  const Family* chosen = nullptr;
  for (const auto& [key, family] : families) {
    if (family.ranges.size() < 2 || family.covered_ns == 0) continue;
    if (family.covered_ns < most - most / 5) continue;
    const bool better = chosen == nullptr || key == "ProfilerStep" ||
                        (name != "ProfilerStep" && family.ranges.size() < chosen->ranges.size());
    if (!better) continue;
    chosen = &family;
    name = key;
  }
  return chosen;
}

}  // namespace

std::optional<StepSplit> split_by_ranges(const Trace& trace, std::span<const Activity> activities) {
  const auto families = families_of(trace, activities);
  std::string name;
  const Family* family = choose(families, name);
  if (family == nullptr) return std::nullopt;
  StepSplit split{.method = name + " ranges", .names = {}, .of = {}};
  std::map<const HostRange*, std::uint32_t> numbers;
  for (const HostRange* range : family->ranges) {
    numbers.emplace(range, static_cast<std::uint32_t>(split.names.size()));
    split.names.push_back(trace.names[range->name]);
  }
  for (const Activity& activity : activities) {
    const HostRange* range = range_of(trace, *family, activity);
    split.of.push_back(range == nullptr ? kNone : numbers.at(range));
  }
  return split;
}

}  // namespace bench
