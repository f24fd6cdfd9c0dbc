#include "dashboards/axis.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/format.h"
#include "harness/units.h"

namespace bench {
namespace {

constexpr std::size_t kMostValueTicks = 9;
constexpr double kMargin = 0.04;  // of the span, beyond the data

std::string number(double value) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e6 || size < 1e-4) return format("{:.0e}", value);
  return format("{:.6g}", value);
}

// 1, 2 or 5 times a power of ten, near span / 5.
double nice_step(double span) {
  const double raw = span / 5;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  const double leading = raw / power;
  return power * (leading < 1.5 ? 1 : leading < 3.5 ? 2 : leading < 7.5 ? 5 : 10);
}

std::vector<Tick> linear_ticks(double low, double high) {
  std::vector<Tick> ticks;
  const double step = nice_step(high - low);
  for (double i = std::ceil(low / step); i * step <= high + step * 1e-9; ++i) {
    const double value = i * step;
    ticks.push_back({value, number(std::abs(value) < step * 1e-6 ? 0 : value)});
  }
  return ticks;
}

// Decades, with 2 and 5 between them where there are few.
std::vector<Tick> log_ticks(double low, double high) {
  std::vector<Tick> ticks;
  const bool sparse = high - low < 2.5;
  for (double decade = std::floor(low); decade <= std::ceil(high); ++decade) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor > 1 && !sparse) continue;
      const double value = factor * std::pow(10, decade);
      if (std::log10(value) >= low - 1e-9 && std::log10(value) <= high + 1e-9)
        ticks.push_back({value, number(value)});
    }
  }
  if (ticks.size() >= 3) return ticks;
  return linear_ticks(std::pow(10, low), std::pow(10, high));  // less than a decade
}

std::vector<Tick> value_ticks(const std::set<double>& values) {
  std::vector<Tick> ticks;
  ticks.reserve(values.size());
  for (const double v : values) ticks.push_back({v, format_count(static_cast<std::int64_t>(v))});
  return ticks;
}

}  // namespace

Scale::Scale(const Axis& axis, std::span<const double> values, double from, double to)
    : log_(axis.log), low_(0), high_(1), from_(from), to_(to) {
  std::set<double> distinct;
  std::ranges::copy_if(values, std::inserter(distinct, distinct.end()),
                       [&](double v) { return shows(v); });
  if (!distinct.empty()) {
    low_ = log_ ? std::log10(*distinct.begin()) : *distinct.begin();
    high_ = log_ ? std::log10(*distinct.rbegin()) : *distinct.rbegin();
  }
  if (axis.from_zero && !log_) low_ = std::min(low_, 0.0);
  const double span = high_ > low_ ? high_ - low_ : std::max(std::abs(high_), 1.0) * 0.5;
  if (!(axis.from_zero && low_ == 0)) low_ -= span * kMargin;
  high_ += span * kMargin;
  if (!axis.ticks.empty()) {
    for (const auto& [value, text] : axis.ticks) ticks_.push_back({value, text});
  } else if (axis.counts && distinct.size() <= kMostValueTicks) {
    ticks_ = value_ticks(distinct);
  } else {
    ticks_ = log_ ? log_ticks(low_, high_) : linear_ticks(low_, high_);
  }
}

double Scale::at(double value) const {
  const double v = log_ ? std::log10(value) : value;
  return from_ + (to_ - from_) * (v - low_) / (high_ - low_);
}

}  // namespace bench
