#include <algorithm>
#include <map>

#include "harness/format.h"
#include "results/trace/steps.h"

namespace bench {
namespace {

// Positions of a kernel that recurs: nine gaps of ten are like the median gap.
bool is_regular(const std::vector<std::uint32_t>& places) {
  std::vector<std::uint32_t> gaps;
  for (std::size_t i = 1; i < places.size(); ++i) gaps.push_back(places[i] - places[i - 1]);
  std::vector<std::uint32_t> sorted = gaps;
  std::ranges::sort(sorted);
  const std::uint32_t middle = sorted[sorted.size() / 2];
  const auto alike = std::ranges::count_if(gaps, [&](std::uint32_t gap) {
    return gap + middle / 10 + 1 >= middle && gap <= middle + middle / 10 + 1;
  });
  return middle > 1 && alike * 10 >= static_cast<std::ptrdiff_t>(gaps.size()) * 9;
}

}  // namespace

// What happens once a step (sampling, the last projection) is rare and regular: each of the rarest
// regular kernel begins a step. A trace of nothing but equal layers gives layers.
std::optional<StepSplit> split_by_period(const Classes& classes,
                                         std::span<const Activity> activities) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> places;
  for (std::uint32_t i = 0; i < activities.size(); ++i) places[classes.of[i]].push_back(i);
  const std::vector<std::uint32_t>* anchor = nullptr;
  for (const auto& [number, at] : places) {
    if (at.size() < 3 || at.back() - at.front() < activities.size() / 2) continue;
    const bool rarer = anchor == nullptr || at.size() < anchor->size() ||
                       (at.size() == anchor->size() && at.front() < anchor->front());
    if (rarer && is_regular(at)) anchor = &at;
  }
  if (anchor == nullptr) return std::nullopt;
  const std::size_t kernels = (anchor->back() - anchor->front()) / (anchor->size() - 1);
  StepSplit split{.method = format("the period of the kernel sequence, {} kernels", kernels),
                  .names = {},
                  .of = {}};
  split.names.resize(anchor->size());
  for (std::uint32_t i = 0; i < activities.size(); ++i) {
    const auto step =
        static_cast<std::uint32_t>(std::ranges::upper_bound(*anchor, i) - anchor->begin());
    split.of.push_back(step == 0 ? kNone : step - 1);
  }
  return split;
}

}  // namespace bench
