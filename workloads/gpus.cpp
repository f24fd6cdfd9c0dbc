#include "workloads/gpus.h"

#include <algorithm>
#include <charconv>

#include "harness/error.h"
#include "harness/format.h"

namespace bench {
namespace {

constexpr std::int64_t kMost = 1024;

[[noreturn]] void refuse(std::string_view text) {
  fail_usage(format("gpus: '{}' is none of all, a count such as 2, or ids such as [0, 3]", text));
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::int64_t number(std::string_view word, std::string_view text) {
  word = trimmed(word);
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || value < 0 || value > kMost) {
    refuse(text);
  }
  return value;
}

}  // namespace

GpuChoice parse_gpus(std::string_view text) {
  std::string_view words = trimmed(text);
  if (words == "all") return {};
  const bool bracketed = words.size() > 2 && words.front() == '[' && words.back() == ']';
  if (!bracketed && words.find(',') == std::string_view::npos) {
    const std::int64_t count = number(words, text);
    if (count == 0) refuse(text);
    return {.count = count};
  }
  if (bracketed) words = words.substr(1, words.size() - 2);
  GpuChoice choice;
  while (true) {
    const auto comma = words.find(',');
    choice.ids.push_back(number(words.substr(0, comma), text));
    if (std::ranges::count(choice.ids, choice.ids.back()) > 1) {
      fail_usage(format("gpus: GPU {} is there twice", choice.ids.back()));
    }
    if (comma == std::string_view::npos) return choice;
    words.remove_prefix(comma + 1);
  }
}

std::string to_text(const GpuChoice& choice) {
  if (choice.all()) return "all";
  if (choice.ids.empty()) return format("{}", choice.count);
  return format("[{}]", join(choice.ids, ","));
}

}  // namespace bench
