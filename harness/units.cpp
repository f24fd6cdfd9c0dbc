#include "harness/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "harness/error.h"
#include "harness/format.h"

namespace bench {
namespace {

struct Suffix {
  std::string_view text;
  double scale;
};

constexpr double kKibi = 1024.0;

constexpr std::array kCountSuffixes{Suffix{"k", kKibi}, Suffix{"K", kKibi},
                                    Suffix{"M", kKibi* kKibi}, Suffix{"G", kKibi* kKibi* kKibi}};
constexpr std::array kByteSuffixes{Suffix{"KiB", kKibi},
                                   Suffix{"MiB", kKibi* kKibi},
                                   Suffix{"GiB", kKibi* kKibi* kKibi},
                                   Suffix{"TiB", kKibi* kKibi* kKibi* kKibi},
                                   Suffix{"kB", 1e3},
                                   Suffix{"KB", 1e3},
                                   Suffix{"MB", 1e6},
                                   Suffix{"GB", 1e9},
                                   Suffix{"TB", 1e12},
                                   Suffix{"B", 1}};
constexpr std::array kTimeSuffixes{Suffix{"ns", 1e-9}, Suffix{"us", 1e-6}, Suffix{"ms", 1e-3},
                                   Suffix{"s", 1},     Suffix{"m", 60},    Suffix{"h", 3600},
                                   Suffix{"d", 86400}, Suffix{"min", 60.0}};

struct Number {
  double value;
  std::string_view suffix;
};

// The number at the front of the text and what follows it. `examples` goes into the complaint.
Number split_number(std::string_view text, std::string_view what, std::string_view examples) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, std::chars_format::general);
  const bool starts_with_digit =
      !text.empty() && (text[0] == '.' || (text[0] >= '0' && text[0] <= '9'));
  if (!starts_with_digit || error != std::errc() || !std::isfinite(value)) {
    fail_usage(format("'{}' is not {} (write {})", text, what, examples));
  }
  return {value, std::string_view(rest, static_cast<std::size_t>(end - rest))};
}

template <std::size_t N>
double scaled(std::string_view text, const std::array<Suffix, N>& suffixes, std::string_view what,
              std::string_view examples, bool bare_allowed) {
  const Number number = split_number(text, what, examples);
  if (number.suffix.empty() && bare_allowed) return number.value;
  for (const Suffix& suffix : suffixes) {
    if (suffix.text == number.suffix) return number.value * suffix.scale;
  }
  fail_usage(format("'{}' is not {} (write {})", text, what, examples));
}

std::int64_t whole(double value, std::string_view text) {
  if (value >= 0x1p63) fail_usage(format("'{}' is too large", text));
  const double rounded = std::nearbyint(value);
  if (std::abs(value - rounded) > 1e-6) fail_usage(format("'{}' is not a whole number", text));
  return static_cast<std::int64_t>(rounded);
}

// `value` with four significant digits, trailing zeros kept: 95.60, 1.030, 312.0.
std::string four_digits(double value) {
  const double magnitude = std::abs(value);
  int decimals = 3;
  if (magnitude >= 9.9995) decimals = 2;
  if (magnitude >= 99.995) decimals = 1;
  if (magnitude >= 999.95) decimals = 0;
  return format("{:.{}f}", value, decimals);
}

template <std::size_t N>
std::string scaled_text(double value, const std::array<Suffix, N>& units) {
  for (const Suffix& unit : units) {
    if (std::abs(value) >= unit.scale) {
      return format("{} {}", four_digits(value / unit.scale), unit.text);
    }
  }
  return format("{} {}", four_digits(value / units.back().scale), units.back().text);
}

}  // namespace

std::int64_t parse_count(std::string_view text) {
  return whole(scaled(text, kCountSuffixes, "a count", "495552, 4k, 1.5M", true), text);
}

std::int64_t parse_bytes(std::string_view text) {
  return whole(std::nearbyint(scaled(text, kByteSuffixes, "a size", "512, 64MiB, 25.5GiB", true)),
               text);
}

Seconds parse_seconds(std::string_view text) {
  return Seconds(scaled(text, kTimeSuffixes, "a time", "250us, 64.6ms, 1.5s, 20m, 2h", false));
}

double parse_fraction(std::string_view text) {
  constexpr std::string_view kExamples = "2%, 0.02";
  const Number number = split_number(text, "a fraction", kExamples);
  if (number.suffix == "%") return number.value / 100;
  if (!number.suffix.empty())
    fail_usage(format("'{}' is not a fraction (write {})", text, kExamples));
  return number.value;
}

std::string format_seconds(Seconds time) {
  constexpr std::array kUnits{Suffix{"s", 1}, Suffix{"ms", 1e-3}, Suffix{"us", 1e-6},
                              Suffix{"ns", 1e-9}};
  if (time.count() == 0) return "0 s";
  return scaled_text(time.count(), kUnits);
}

std::string format_count(std::int64_t count) {
  constexpr std::int64_t kStep = 1024;
  constexpr std::array kSuffixes{std::pair{kStep * kStep, 'M'}, std::pair{kStep, 'k'}};
  for (const auto& [scale, letter] : kSuffixes) {
    if (count >= scale && count % scale == 0) return format("{}{}", count / scale, letter);
  }
  return format("{}", count);
}

std::string format_bytes(double bytes) {
  constexpr std::array kUnits{Suffix{"TB", 1e12}, Suffix{"GB", 1e9}, Suffix{"MB", 1e6},
                              Suffix{"kB", 1e3}};
  if (std::abs(bytes) < 1e3) return format("{:.0f} B", bytes);
  return scaled_text(bytes, kUnits);
}

std::string format_bandwidth(double bytes_per_s) { return format_bytes(bytes_per_s) + "/s"; }

std::string format_percent(double fraction) { return format("{:+.1f} %", fraction * 100); }

}  // namespace bench
