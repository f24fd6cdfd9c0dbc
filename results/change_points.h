#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace bench {

// A lasting change in a series of values, one a night.
struct Change {
  std::size_t begin;     // first value that has left the old level
  std::size_t end;       // first value at the new level; begin: a step, else a drift
  std::size_t earliest;  // `begin` of a step lies between these two (95 %); of a drift: begin
  std::size_t latest;
  double before;  // the levels
  double after;
  double p;  // of there being no change

  [[nodiscard]] bool is_drift() const { return end > begin; }
  // Change a night: of a drift, its slope.
  [[nodiscard]] double slope() const {
    return (after - before) / static_cast<double>(end - begin + 1);
  }
};

struct Changes {
  std::vector<Change> changes;  // in order
  double noise = 0;             // standard deviation about the levels
  double autocorrelation = 0;   // of that noise from night to night
};

// Finds steps and drifts. The series is split where shuffles of it say that it is not one level
// (steps, bumps, trends); runs of steps that a drift describes better become one; and what the
// noise's own correlation from night to night explains is dropped. Deterministic. Values far out
// (3 deviations from the levels on either side) are pulled in first, so that a spike is no change.
Changes find_changes(std::span<const double> values);

}  // namespace bench
