#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "harness/statistics.h"

namespace bench {

// By how much one sample lies above another, by ranks alone: exact for any distribution, and not
// moved by an outlier. The interval holds every shift that the test does not reject.
class RankShift {
 public:
  // Independent samples: all differences b[j] - a[i] (Mann & Whitney 1947; Hodges & Lehmann 1963).
  static RankShift unpaired(std::span<const double> a, std::span<const double> b);

  // a[i] and b[i] were taken together: the averages of every two differences b[i] - a[i]
  // (Wilcoxon 1945). Throws Error when the lengths differ.
  static RankShift paired(std::span<const double> a, std::span<const double> b);

  // Two-sided probability of a shift at least as clear when the true one is `shift`. Ties count
  // against it.
  [[nodiscard]] double p(double shift = 0) const;

  // The least p() that samples of these sizes can give: theirs when they do not overlap.
  [[nodiscard]] double smallest_p() const;

  // Interval of the shift that misses the true one with probability <= level; none when the
  // samples are too small for one.
  [[nodiscard]] std::optional<Interval> interval(double level) const;

  // Hodges-Lehmann estimate: the median of the differences.
  [[nodiscard]] double estimate() const;

 private:
  // [k]: P(at most k differences on one side of the truth); of equal sizes the same.
  using Tail = std::shared_ptr<const std::vector<double>>;
  RankShift(std::vector<double> differences, Tail tail);

  std::vector<double> differences_;  // sorted
  Tail tail_;
};

}  // namespace bench
