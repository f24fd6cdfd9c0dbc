#include "results/trace/event.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace bench {
namespace {

constexpr std::pair<std::string_view, TraceEventKind> kKinds[] = {
    {"kernel", TraceEventKind::kernel},
    {"cpu_op", TraceEventKind::op},
    {"cuda_runtime", TraceEventKind::runtime},
    {"cuda_driver", TraceEventKind::runtime},
    {"gpu_memcpy", TraceEventKind::memcpy},
    {"gpu_memset", TraceEventKind::memset},
    {"user_annotation", TraceEventKind::annotation},
    {"gpu_user_annotation", TraceEventKind::gpu_annotation},
    {"hip_runtime", TraceEventKind::runtime},
    {"Kernel", TraceEventKind::kernel},  // before PyTorch 1.13
    {"Memcpy", TraceEventKind::memcpy},
    {"Memset", TraceEventKind::memset},
    {"Runtime", TraceEventKind::runtime},
};

TraceEventKind kind_of(std::string_view category) {
  for (const auto& [name, kind] : kKinds) {
    if (name == category) return kind;
  }
  return TraceEventKind::other;
}

std::string_view unquoted(std::string_view value) {
  const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  return quoted ? value.substr(1, value.size() - 2) : value;
}

constexpr std::int64_t kLatestUs = 4'000'000'000'000'000;  // the year 2096, in Unix time
constexpr std::int64_t kLongestNs =
    10'000'000'000'000;  // three hours: sums of them do not overflow

bool digit(char c) { return c >= '0' && c <= '9'; }

// "[4, 24, 1]"; what is missing stays 0.
void read_three(std::string_view text, std::array<std::int64_t, 3>& values) {
  std::size_t at = 0;
  for (std::int64_t& value : values) {
    while (at < text.size() && !digit(text[at])) ++at;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + at, end, value);
    if (error != std::errc{}) return;
    value = times(value, 1);
    at = static_cast<std::size_t>(stop - text.data());
  }
}

// The rare forms: an exponent, more digits than nanoseconds have, a sign.
bool read_time_slowly(std::string_view text, std::int64_t& ns) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !(std::fabs(value) < static_cast<double>(kLatestUs))) {
    return false;
  }
  ns = std::llround(value * 1000);
  return true;
}

}  // namespace

std::int64_t times(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return kMost;
  return std::clamp<std::int64_t>(product, 0, kMost);
}

bool read_time_ns(std::string_view text, std::int64_t& ns) {
  text = unquoted(text);
  std::size_t at = 0;
  std::int64_t value = 0;
  while (at < std::min<std::size_t>(text.size(), 16) && digit(text[at])) {
    value = value * 10 + (text[at++] - '0');
  }
  if (at == 0 || value >= kLatestUs) return read_time_slowly(text, ns);
  int places = 0;
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && digit(text[at]) && places < 3; ++places) {
      value = value * 10 + (text[at++] - '0');
    }
  }
  if (at != text.size()) return read_time_slowly(text, ns);
  for (; places < 3; ++places) value *= 10;
  ns = value;
  return true;
}

bool read_whole(std::string_view text, std::int64_t& value) {
  text = unquoted(text);
  if (text.ends_with(".0")) text.remove_suffix(2);
  std::int64_t read = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, read);
  if (error != std::errc{} || stop != end) return false;
  value = read;
  return true;
}

void set_member(TraceEvent& event, std::string_view name, std::string_view value) {
  if (name == "cat") {
    event.kind = kind_of(unquoted(value));
  } else if (name == "name") {
    event.name = unquoted(value);
  } else if (name == "ts") {
    event.has_time = read_time_ns(value, event.start_ns);
  } else if (name == "dur") {
    const bool read = read_time_ns(value, event.duration_ns);
    if (!read || event.duration_ns < 0 || event.duration_ns > kLongestNs) event.duration_ns = -1;
  } else if (name == "pid") {
    event.process = unquoted(value);
  } else if (name == "tid") {
    event.thread = unquoted(value);
  }
}

void set_argument(TraceEvent& event, std::string_view name, std::string_view value) {
  if (name == "External id" || name == "external id") {
    read_whole(value, event.external_id);
  } else if (name == "correlation") {
    read_whole(value, event.correlation);
  } else if (name == "stream") {
    read_whole(value, event.stream);
  } else if (name == "device") {
    read_whole(value, event.device);
  } else if (name == "grid") {
    read_three(value, event.grid);
  } else if (name == "block") {
    read_three(value, event.block);
  } else if (name == "bytes" || name == "Bytes") {
    read_whole(value, event.bytes);
  } else if (name == "Input Dims") {
    event.dims = value;
  } else if (name == "Input type") {
    event.types = value;
  }
}

}  // namespace bench
