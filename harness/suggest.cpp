#include "harness/suggest.h"

#include <algorithm>

#include "harness/format.h"

namespace bench {
namespace {

// Edits between two words; swapping neighbours is one (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return table[i * width + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({change, at(i - 1, j) + 1, at(i, j - 1) + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return table.back();
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
