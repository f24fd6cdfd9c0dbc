#include "runners/http/prometheus.h"

#include <algorithm>
#include <charconv>
#include <cmath>
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
  return result.ec == std::errc() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// Up to the quote that ends a label's value.
std::size_t value_bytes(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at, text.size());
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

std::vector<std::pair<std::string, std::string>> series_labels(std::string_view metrics,
                                                               std::string_view name) {
  std::vector<std::pair<std::string, std::string>> found;
  each_series(metrics, name, [&](const Series& series) {
    if (!found.empty()) return;
    std::string_view rest = series.labels;
    for (std::size_t equal = rest.find("=\""); equal != std::string_view::npos;
         equal = rest.find("=\"")) {
      const std::string_view label = rest.substr(0, equal);
      rest.remove_prefix(equal + 2);
      const std::size_t end = value_bytes(rest);
      found.emplace_back(label.substr(std::min(label.find_first_not_of(", "), label.size())),
                         rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  });
  return found;
}

std::optional<std::string> series_label(std::string_view metrics, std::string_view name,
                                        std::string_view label) {
  for (auto& [key, value] : series_labels(metrics, name)) {
    if (key == label) return std::move(value);
  }
  return std::nullopt;
}

}  // namespace bench
