#include "workloads/parameters.h"

#include <charconv>
#include <cmath>

#include "harness/error.h"
#include "harness/format.h"
#include "harness/units.h"

namespace bench {
namespace {

double parse_real(std::string_view words) {
  double value = 0;
  const char* const end = words.data() + words.size();
  const auto parsed = std::from_chars(words.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(value)) {
    fail_usage(format("'{}' is not a number (write 1.5)", words));
  }
  return value;
}

bool has_unit(std::string_view words) {
  return words.find_first_not_of("0123456789.") != std::string_view::npos;
}

// A bare number is in the unit of the parameter's name.
double parse_time(const ParameterInfo& info, std::string_view words) {
  if (!has_unit(words)) return parse_real(words);
  return parse_seconds(words).count() / info.unit;
}

ParameterValue parse_value(const ParameterInfo& info, std::string_view words) {
  switch (info.kind) {
    case ParameterKind::count:
      return parse_count(words);
    case ParameterKind::seconds:
      return parse_time(info, words);
    case ParameterKind::real:
      return parse_real(words);
    case ParameterKind::fraction:
      return parse_fraction(words);
    case ParameterKind::text:
    case ParameterKind::choice:
      break;
  }
  return std::string(words);
}

}  // namespace

void set_from_text(Parameters& parameters, const ParameterInfo& info, std::string_view text) {
  ParameterValue value;
  try {
    value = parse_value(info, text);
  } catch (const Error& error) {
    fail_usage(format("{}: {}", info.name, error.what()));
  }
  info.set(parameters, value);
}

std::string to_text(const ParameterInfo& info, const ParameterValue& value) {
  if (const auto* words = std::get_if<std::string>(&value)) return *words;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return format_count(*whole);
  const double real = std::get<double>(value);
  if (info.kind == ParameterKind::seconds) return format_seconds(Seconds(real * info.unit));
  return format("{}", real);
}

std::string to_text(const Parameters& parameters, const ParameterInfo& info) {
  return to_text(info, info.get(parameters));
}

}  // namespace bench
