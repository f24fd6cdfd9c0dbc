#include "harness/suggest.h"

#include <algorithm>
#include <numeric>

#include "harness/format.h"

namespace bench {
namespace {

// Levenshtein distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongest = 64;  // of a word worth comparing
  if (word.size() > kLongest || known.empty()) return "";
  const auto nearest = std::ranges::min_element(
      known, {}, [&](const std::string& candidate) { return edit_distance(word, candidate); });
  const std::size_t limit = std::max<std::size_t>(1, std::max(word.size(), nearest->size()) / 3);
  if (edit_distance(word, *nearest) > limit) return "";
  return format(" (did you mean '{}'?)", *nearest);
}

}  // namespace bench
