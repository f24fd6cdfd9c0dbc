#include "results/trace/category.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <vector>

#include "harness/error.h"
#include "results/trace/rules.h"

namespace bench {
namespace {

struct CategoryName {
  std::string_view id, title;
};
constexpr std::array<CategoryName, kCategories> kNames{{{"cast_copy", "cast/copy"},
                                                        {"gather_scatter", "gather/scatter"},
                                                        {"attention", "attention"},
                                                        {"gemm", "GEMM"},
                                                        {"moe", "MoE"},
                                                        {"collective", "collective"},
                                                        {"norm_elementwise", "norm/elementwise"},
                                                        {"sampling", "sampling"},
                                                        {"memory", "memcpy/memset"},
                                                        {"other", "other"}}};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// The words of each line that is neither empty nor a comment.
std::vector<std::vector<std::string>> lines_of(std::string_view text) {
  std::vector<std::vector<std::string>> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('#')) continue;
    std::vector<std::string> words;
    for (std::size_t at = line.find_first_not_of(' '); at < line.size();
         at = line.find_first_not_of(' ', at)) {
      const std::size_t stop = std::min(line.find(' ', at), line.size());
      words.push_back(lower(line.substr(at, stop - at)));
      at = stop;
    }
    if (!words.empty()) lines.push_back(std::move(words));
  }
  return lines;
}

template <typename Words>
bool all_occur(const Words& words, std::string_view name) {
  return std::ranges::all_of(
      words, [&](const std::string& word) { return name.find(word) != std::string_view::npos; });
}

struct Rule {
  Category category;
  std::vector<std::string> words;
};

std::vector<Rule> read_rules() {
  std::vector<Rule> rules;
  for (std::vector<std::string>& line : lines_of(kKernelRules)) {
    const auto name = std::ranges::find(kNames, line.front(), &CategoryName::id);
    if (name == kNames.end()) fail("kernel_rules.txt: no category '" + line.front() + "'");
    const auto category = static_cast<Category>(name - kNames.begin());
    line.erase(line.begin());
    rules.push_back({category, std::move(line)});
  }
  return rules;
}

}  // namespace

std::string_view id_of(Category category) {
  return kNames.at(static_cast<std::size_t>(category)).id;
}

std::string_view title_of(Category category) {
  return kNames.at(static_cast<std::size_t>(category)).title;
}

Category categorise(std::string_view kernel_name, TraceEventKind kind) {
  if (kind == TraceEventKind::memcpy || kind == TraceEventKind::memset) return Category::memory;
  static const std::vector<Rule> kRules = read_rules();
  const std::string name = lower(kernel_name);
  const auto rule =
      std::ranges::find_if(kRules, [&](const Rule& r) { return all_occur(r.words, name); });
  return rule == kRules.end() ? Category::other : rule->category;
}

double peak_bandwidth_per_s(std::string_view device_name) {
  static const auto kLines = lines_of(kCards);
  const std::string name = lower(device_name);
  for (const std::vector<std::string>& line : kLines) {
    if (!all_occur(std::vector(line.begin(), line.end() - 1), name)) continue;
    double value = 0;
    std::from_chars(line.back().data(), line.back().data() + line.back().size(), value);
    return value;
  }
  return 0;
}

}  // namespace bench
