#pragma once

#include <span>
#include <string>
#include <vector>

#include "dashboards/plot.h"

namespace bench {

struct Tick {
  double value;
  std::string label;
};

// Maps values of an axis to pixels [from, to] and knows where its ticks are.
class Scale {
 public:
  // Covers all of `values`, which may be empty; a log axis ignores what is not positive.
  Scale(const Axis& axis, std::span<const double> values, double from, double to);

  [[nodiscard]] bool shows(double value) const { return !log_ || value > 0; }
  [[nodiscard]] double at(double value) const;
  [[nodiscard]] const std::vector<Tick>& ticks() const { return ticks_; }

 private:
  bool log_;
  double low_, high_, from_, to_;  // low and high in log10 where log_
  std::vector<Tick> ticks_;
};

}  // namespace bench
