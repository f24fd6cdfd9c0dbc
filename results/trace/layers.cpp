#include "results/trace/layers.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/statistics.h"

namespace bench {
namespace {

// The number that most classes run in the usual step, two at least; of equals, the smaller.
std::int64_t layer_count(const std::vector<std::int64_t>& usual) {
  std::map<std::int64_t, std::int64_t> votes;
  for (const std::int64_t count : usual) {
    if (count >= 2) ++votes[count];
  }
  std::int64_t best = 0;
  for (const auto& [count, voters] : votes) {
    if (voters >= 2 && (best == 0 || voters > votes[best])) best = count;
  }
  return best;
}

// The class that begins each layer: the first of a step that runs once a layer.
std::uint32_t anchor_of(const StepView& view, const std::vector<std::int64_t>& usual,
                        std::int64_t layers) {
  for (std::size_t i = 0; i < view.activities.size(); ++i) {
    if (view.in_step(i) && usual[view.classes.of[i]] == layers) return view.classes.of[i];
  }
  return kNone;
}

// The activities of each step, in order.
std::vector<std::vector<std::size_t>> sequences_of(const StepView& view) {
  std::vector<std::vector<std::size_t>> all(view.steps.size());
  for (std::size_t i = 0; i < view.activities.size(); ++i) {
    if (view.in_step(i)) all[view.split.of[i]].push_back(i);
  }
  std::erase_if(all, [](const auto& sequence) { return sequence.empty(); });
  return all;
}

// Where the layers of a sequence begin, and behind them the end of the last: at each anchor, less
// the recurring kernels just before the first one. Empty: it has no anchor for each layer.
std::vector<std::size_t> begins_of(const StepView& view, const std::vector<std::size_t>& sequence,
                                   std::uint32_t anchor, std::size_t layers,
                                   const std::vector<bool>& recurs) {
  std::vector<std::size_t> begins;
  for (std::size_t at = 0; at < sequence.size(); ++at) {
    if (view.classes.of[sequence[at]] == anchor) begins.push_back(at);
  }
  if (begins.size() != layers) return {};
  std::size_t lead = 0;
  while (lead < begins.front() && recurs[view.classes.of[sequence[begins.front() - lead - 1]]]) {
    ++lead;
  }
  for (std::size_t& begin : begins) begin -= lead;
  begins.push_back(std::min(begins.back() + (begins[1] - begins[0]), sequence.size()));
  return begins;
}

// Seconds of each layer in each step that has them all: [layer][step].
std::vector<std::vector<double>> times_of(const StepView& view, std::uint32_t anchor,
                                          const std::vector<bool>& recurs, Layers& layers) {
  std::vector<std::vector<double>> times(static_cast<std::size_t>(layers.count));
  for (const auto& sequence : sequences_of(view)) {
    const auto begins = begins_of(view, sequence, anchor, times.size(), recurs);
    for (std::size_t layer = 0; layer + 1 < begins.size(); ++layer) {
      double sum = 0;
      for (std::size_t at = begins[layer]; at < begins[layer + 1]; ++at) {
        const double seconds =
            static_cast<double>(view.activities[sequence[at]].duration_ns) * 1e-9;
        const auto category = static_cast<std::size_t>(view.classes.at(sequence[at]).category);
        layers.category_s.at(category) += seconds;
        sum += seconds;
      }
      times[layer].push_back(sum);
    }
  }
  return times;
}

void find_outliers(Layers& layers) {
  std::vector<double> away;
  for (const double s : layers.seconds) away.push_back(std::fabs(s - layers.median_s));
  const double limit = std::max(layers.median_s / 10, 5 * median(away));
  for (std::size_t i = 0; i < layers.seconds.size(); ++i) {
    if (away[i] > limit)
      layers.outliers.push_back({static_cast<std::int64_t>(i), layers.seconds[i]});
  }
}

}  // namespace

std::int64_t usual_count(std::vector<std::int64_t> counts) {
  if (counts.empty()) return 0;
  std::ranges::sort(counts);
  const std::int64_t middle = counts[counts.size() / 2];
  const std::ptrdiff_t steps = std::ssize(counts);
  const std::ptrdiff_t odd = std::max<std::ptrdiff_t>(steps / 10, steps >= 3 ? 1 : 0);
  return std::ranges::count(counts, middle) + odd >= steps ? middle : 0;
}

std::int64_t StepView::step_count() const {
  return std::ranges::count(steps, kind, &TraceStep::kind);
}

std::vector<std::vector<std::int64_t>> counts_of(const StepView& view) {
  std::vector<std::uint32_t> place(view.steps.size(), kNone);
  std::uint32_t used = 0;
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (view.steps[i].kind == view.kind) place[i] = used++;
  }
  std::vector<std::vector<std::int64_t>> counts(view.classes.all.size(),
                                                std::vector<std::int64_t>(used));
  for (std::size_t i = 0; i < view.activities.size(); ++i) {
    if (view.in_step(i)) ++counts[view.classes.of[i]][place[view.split.of[i]]];
  }
  return counts;
}

Layers find_layers(const StepView& view) {
  std::vector<std::int64_t> usual;  // of each class
  for (const auto& of_class : counts_of(view)) usual.push_back(usual_count(of_class));
  Layers layers{.count = layer_count(usual), .seconds = {}, .outliers = {}};
  const std::uint32_t anchor = layers.count > 0 ? anchor_of(view, usual, layers.count) : kNone;
  if (anchor == kNone) return layers;
  std::vector<bool> recurs;
  recurs.reserve(usual.size());
  for (const std::int64_t count : usual) recurs.push_back(count > 0 && count % layers.count == 0);
  const auto times = times_of(view, anchor, recurs, layers);
  if (times.front().empty()) return {};
  for (const auto& of_layer : times) layers.seconds.push_back(median(of_layer));
  const auto all = static_cast<double>(times.size() * times.front().size());
  for (double& seconds : layers.category_s) seconds /= all;
  layers.median_s = median(layers.seconds);
  find_outliers(layers);
  return layers;
}

}  // namespace bench
