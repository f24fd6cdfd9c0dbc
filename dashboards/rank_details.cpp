#include "dashboards/rank_details.h"

#include <algorithm>
#include <numeric>

#include "dashboards/numbers.h"
#include "harness/format.h"
#include "harness/statistics.h"
#include "harness/units.h"

namespace bench {
namespace {

constexpr std::size_t kAllShown = 16;
constexpr std::size_t kSlowest = 5;

// Median step of each rank, over the samples of all replicates.
std::vector<double> rank_times(const CaseSummary& c) {
  std::vector<std::vector<double>> times;
  for (const Measurement* m : c.measurements) {
    const std::size_t samples = m->samples_s.size();
    if (samples == 0 || m->rank_samples_s.empty()) continue;
    times.resize(std::max(times.size(), m->rank_samples_s.size() / samples));
    for (std::size_t i = 0; i < m->rank_samples_s.size(); ++i) {
      times[i / samples].push_back(m->rank_samples_s[i]);
    }
  }
  std::vector<double> medians;
  medians.reserve(times.size());
  for (const std::vector<double>& of : times) medians.push_back(median(of));
  return medians;
}

std::string list(const std::vector<std::size_t>& ranks, const std::vector<double>& times) {
  std::vector<std::string> parts;
  parts.reserve(ranks.size());
  for (const std::size_t r : ranks) parts.push_back(format("{}: {}", r, milliseconds(times[r])));
  return format("{}", join(parts, ", "));
}

std::string spread_text(const std::vector<double>& times) {
  const auto [low, high] = std::ranges::minmax(times);
  return format("Ranks {} to {} ms, median {}; slowest ", milliseconds(low), milliseconds(high),
                milliseconds(median(times)));
}

void draw_allreduce(const CaseSummary& c, Html& page) {
  const auto seconds = c.metric("allreduce_s");
  const auto bytes = c.metric("allreduce_bytes");
  const auto algorithm = c.metric("allreduce_algbw_bytes_per_s");
  const auto bus = c.metric("allreduce_busbw_bytes_per_s");
  if (!seconds || !bytes || !algorithm || !bus) return;
  const auto share = c.metric("allreduce_link_share");
  page.element(
      "p", format("All-reduce of {}: {:.1f} us, algbw {}, busbw {}{}.", engineering_bytes(*bytes),
                  *seconds * 1e6, format_bandwidth(*algorithm), format_bandwidth(*bus),
                  share ? " (" + percent_of(*share) + " of the link's peak)" : ""));
}

}  // namespace

void draw_ranks(const CaseSummary& c, Html& page) {
  const std::vector<double> times = rank_times(c);
  if (times.empty()) return;
  std::vector<std::size_t> ranks(times.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::string text;
  if (ranks.size() <= kAllShown) {
    text = "Ranks, ms: " + list(ranks, times);
  } else {
    std::ranges::stable_sort(ranks, [&](auto a, auto b) { return times[a] > times[b]; });
    ranks.resize(kSlowest);
    text = spread_text(times) + list(ranks, times);
  }
  if (const auto skew = c.metric("rank_skew")) text += format("; skew {}", percent_of(*skew));
  page.element("p", text + ".");
  draw_allreduce(c, page);
}

}  // namespace bench
