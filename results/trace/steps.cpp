#include "results/trace/steps.h"

#include <algorithm>
#include <map>

#include "harness/format.h"

namespace bench {
namespace {

// A step of so many tokens is no decode step of one user each.
constexpr std::int64_t kPrefillTokens = 1024;

bool mentions(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view w) { return text.find(w) != text.npos; });
}

StepKind step_kind(const TraceStep& step, bool prefill_kernels, bool decode_kernels) {
  if (mentions(step.name, {"decode", "DECODE", "Decode"})) return StepKind::decode;
  if (mentions(step.name, {"prefill", "PREFILL", "Prefill", "extend", "EXTEND", "Extend"})) {
    return StepKind::prefill;
  }
  if (prefill_kernels != decode_kernels) {
    return prefill_kernels ? StepKind::prefill : StepKind::decode;
  }
  return step.tokens >= kPrefillTokens ? StepKind::prefill : StepKind::decode;
}

// Adds up one step, activity by activity in order of start.
class Measuring {
 public:
  void add(const Trace& trace, const Activity& activity, const KernelClass& c) {
    const bool first = step_.activities++ == 0;
    if (first) step_.begin_ns = step_.end_ns = activity.start_ns;
    const std::int64_t gap = activity.start_ns - step_.end_ns;
    if (gap > 0) wait(trace, activity, gap);
    step_.busy_ns +=
        std::max<std::int64_t>(0, activity.end_ns() - std::max(activity.start_ns, step_.end_ns));
    step_.sum_ns += activity.duration_ns;
    step_.end_ns = std::max(step_.end_ns, activity.end_ns());
    if (c.tokens > 0) time_of_tokens_[c.tokens] += activity.duration_ns;
    if (c.category == Category::attention) look_at(trace.names[c.name]);
  }

  // A gap is the host's where the launch that ends it was made after the device fell idle.
  void wait(const Trace& trace, const Activity& next, std::int64_t gap) {
    if (next.launch == kNone) return;
    const std::int64_t late = trace.launches[next.launch].end_ns - step_.end_ns;
    step_.host_ns += std::clamp<std::int64_t>(late, 0, gap);
  }

  TraceStep take(std::string name) {
    step_.name = std::move(name);
    step_.duration_ns = step_.end_ns - step_.begin_ns;
    const auto main =
        std::ranges::max_element(time_of_tokens_, {}, [](const auto& e) { return e.second; });
    if (main != time_of_tokens_.end()) step_.tokens = main->first;
    step_.kind = step_kind(step_, prefill_, decode_);
    return std::move(step_);
  }

  [[nodiscard]] bool empty() const { return step_.activities == 0; }

 private:
  void look_at(const std::string& kernel) {
    prefill_ = prefill_ || mentions(kernel, {"refill", "varlen_fwd", "context_fwd", "_context"});
    decode_ = decode_ || mentions(kernel, {"ecode", "splitkv", "split_kv", "paged", "Paged"});
  }

  TraceStep step_;
  std::map<std::int64_t, std::int64_t> time_of_tokens_;
  bool prefill_ = false;
  bool decode_ = false;
};

// Is the last step cut short? A killed profiler's is where it differs from the others of its kind,
// any profiler's where it lacks a tenth of their activities.
bool last_is_cut(const std::vector<TraceStep>& steps, bool damaged) {
  std::vector<std::int64_t> others;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    if (steps[i].kind == steps.back().kind) others.push_back(steps[i].activities);
  }
  if (others.empty()) return false;
  std::ranges::nth_element(others, others.begin() + std::ssize(others) / 2);
  const std::int64_t usual = others[others.size() / 2];
  const std::int64_t last = steps.back().activities;
  return damaged ? last != usual : last * 10 < usual * 9;
}

}  // namespace

StepSplit split_steps(const Trace& trace, const Classes& classes,
                      std::span<const Activity> activities) {
  if (auto split = split_by_ranges(trace, activities)) return std::move(*split);
  if (auto split = split_by_graphs(trace, activities)) return std::move(*split);
  if (auto split = split_by_period(classes, activities)) return std::move(*split);
  return {.method = "none found: the whole trace is one step",
          .names = {""},
          .of = std::vector<std::uint32_t>(activities.size(), 0)};
}

std::vector<TraceStep> measure_steps(const Trace& trace, const Classes& classes,
                                     std::span<const Activity> activities, StepSplit& split) {
  std::vector<Measuring> measuring(split.names.size());
  std::uint32_t last = kNone;
  for (std::size_t i = 0; i < activities.size(); ++i) {
    if (split.of[i] == kNone) continue;
    if (split.of[i] != last && last != kNone && measuring[split.of[i]].empty()) {
      // The gap between two steps belongs to the earlier one.
      const std::int64_t gap = activities[i].start_ns - activities[i - 1].end_ns();
      if (split.of[i - 1] == last && gap > 0) measuring[last].wait(trace, activities[i], gap);
    }
    last = split.of[i];
    measuring[last].add(trace, activities[i], classes.at(i));
  }
  std::vector<TraceStep> steps;
  std::vector<std::uint32_t> numbers(measuring.size(), kNone);
  for (std::size_t i = 0; i < measuring.size(); ++i) {
    if (measuring[i].empty()) continue;
    numbers[i] = static_cast<std::uint32_t>(steps.size());
    steps.push_back(measuring[i].take(split.names[i]));
  }
  for (std::uint32_t& step : split.of) step = step == kNone ? kNone : numbers[step];
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    steps[i].duration_ns =
        std::max(steps[i].duration_ns, steps[i + 1].begin_ns - steps[i].begin_ns);
  }
  if (last_is_cut(steps, !trace.damage.empty())) {
    steps.pop_back();
    std::ranges::replace(split.of, static_cast<std::uint32_t>(steps.size()), kNone);
  }
  return steps;
}

}  // namespace bench
