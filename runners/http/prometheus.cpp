#include "runners/http/prometheus.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace bench {
namespace {

struct Series {
  std::string_view name;
  std::string_view labels;  // between the braces
  std::string_view value;   // text after them
};

// Cuts one line; the closing brace is the first outside of quotes.
std::optional<Series> cut(std::string_view line) {
  if (line.empty() || line.front() == '#') return std::nullopt;
  const std::size_t end = line.find_first_of("{ \t");
  if (end == std::string_view::npos) return std::nullopt;
  Series series{line.substr(0, end), {}, line.substr(end)};
  if (line[end] != '{') return series;
  bool quoted = false;
  for (std::size_t i = end + 1; i < line.size(); ++i) {
    if (line[i] == '\\' && quoted) {
      ++i;
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == '}' && !quoted) {
      series.labels = line.substr(end + 1, i - end - 1);
      series.value = line.substr(i + 1);
      return series;
    }
  }
  return std::nullopt;
}

std::optional<double> number(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return std::nullopt;
  text.remove_prefix(from);
  if (text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() ? std::optional(value) : std::nullopt;
}

template <typename Take>
void each_series(std::string_view metrics, std::string_view name, Take&& take) {
  const std::string total = std::string(name) + "_total";
  while (!metrics.empty()) {
    const std::size_t end = std::min(metrics.find('\n'), metrics.size());
    const auto series = cut(metrics.substr(0, end));
    metrics.remove_prefix(std::min(end + 1, metrics.size()));
    if (series && (series->name == name || series->name == total)) take(*series);
  }
}

}  // namespace

std::optional<double> series_sum(std::string_view metrics, std::string_view name) {
  if (name.empty()) return std::nullopt;
  std::optional<double> sum;
  each_series(metrics, name, [&](const Series& series) {
    if (const auto value = number(series.value)) sum = sum.value_or(0) + *value;
  });
  return sum;
}

std::optional<std::string_view> series_label(std::string_view metrics, std::string_view name,
                                             std::string_view label) {
  std::optional<std::string_view> found;
  const std::string key = std::string(label) + "=\"";
  each_series(metrics, name, [&](const Series& series) {
    for (std::size_t at = series.labels.find(key); at != std::string_view::npos && !found;
         at = series.labels.find(key, at + 1)) {
      if (at > 0 && series.labels[at - 1] != ',' && series.labels[at - 1] != ' ') continue;
      const std::string_view rest = series.labels.substr(at + key.size());
      found = rest.substr(0, std::min(rest.find('"'), rest.size()));
    }
  });
  return found;
}

}  // namespace bench
