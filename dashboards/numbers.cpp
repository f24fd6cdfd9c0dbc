#include "dashboards/numbers.h"

#include <algorithm>
#include <cmath>

#include "harness/format.h"
#include "harness/units.h"

namespace bench {
namespace {

constexpr double kFactorFrom = 2.0;  // a change so large reads better as a factor than in percent

std::string signed_text(double value, int decimals) {
  const std::string text = format("{:+.{}f}", value, decimals);
  // A value that rounds to zero has no sign.
  return text.find_first_of("123456789") == std::string::npos ? text.substr(1) : text;
}

}  // namespace

bool reads_as_factor(double ratio) { return ratio >= kFactorFrom || ratio <= 1 / kFactorFrom; }

double percent_change(double ratio) { return (ratio - 1) * 100; }

std::string significant(double value, int digits) {
  if (value == 0) return "0";
  if (std::abs(value) >= 1e15) return format("{:.{}e}", value, digits - 1);
  const auto decimals_for = [&](double v) {
    const int exponent = static_cast<int>(std::floor(std::log10(std::abs(v))));
    return std::clamp(digits - 1 - exponent, 0, 15);
  };
  const int decimals = decimals_for(value);
  std::string text = format("{:.{}f}", value, decimals);
  const double rounded = std::stod(text);
  if (rounded == 0) return "0";
  // 9.9996 rounds up into one digit more.
  const int fewer = decimals_for(rounded);
  return fewer == decimals ? text : format("{:.{}f}", rounded, fewer);
}

double shown(double value, int digits) { return std::stod(significant(value, digits)); }

std::string milliseconds(double seconds) { return significant(seconds * 1e3); }

double shown_ms(double seconds) { return shown(seconds * 1e3); }

std::string tokens_per_s(double tpot_s) { return significant(1e3 / shown_ms(tpot_s)); }

double shown_ratio(double before_s, double after_s) {
  return shown_ms(after_s) / shown_ms(before_s);
}

std::string change_text(double ratio) {
  if (!reads_as_factor(ratio)) return signed_text(percent_change(ratio), 1) + " %";
  if (ratio < 1) return significant(1 / ratio, 3) + " x";
  return significant(ratio, 3) + " x slower";
}

std::string interval_text(double ratio, const Interval& interval) {
  if (!reads_as_factor(ratio)) {
    return format("[{}, {}]", signed_text(percent_change(interval.low), 1),
                  signed_text(percent_change(interval.high), 1));
  }
  if (ratio > 1)
    return format("[{}, {}]", significant(interval.low, 3), significant(interval.high, 3));
  return format("[{}, {}]", significant(1 / interval.high, 3), significant(1 / interval.low, 3));
}

std::string signed_ms(double seconds) {
  const std::string text = milliseconds(seconds);
  return seconds > 0 ? "+" + text : text;
}

std::string percent_of(double fraction) {
  const double value = fraction * 100;
  return format("{:.{}f} %", value, value < 10 ? 1 : 0);
}

std::string engineering_bytes(double bytes) { return format_bytes(bytes); }

}  // namespace bench
