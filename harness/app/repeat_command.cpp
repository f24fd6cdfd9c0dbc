#include "harness/app/repeat_command.h"

#include <algorithm>
#include <array>
#include <span>

#include "harness/app/shell_word.h"
#include "harness/format.h"
#include "workloads/parameters.h"

namespace bench {
namespace {

// Flags that chose or named the run and not the case; with a value unless they are alone.
constexpr std::array<std::string_view, 3> kDropped{"--only", "--tag", "--notes"};
constexpr std::array<std::string_view, 2> kDroppedAlone{"--resume", "--dry-run"};

// The words of a line of shell_word(); they stay quoted.
std::vector<std::string> typed_words(const std::string& typed) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const char c = typed[i];
    if (c == ' ' && !quoted) {
      if (!word.empty()) words.push_back(std::move(word));
      word.clear();
      continue;
    }
    word += c;
    if (c == '\\' && !quoted && i + 1 < typed.size()) {
      word += typed[++i];
    } else if (c == '\'') {
      quoted = !quoted;
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

bool is_one_of(std::string_view word, std::span<const std::string_view> flags) {
  return std::ranges::find(flags, word.substr(0, word.find('='))) != flags.end();
}

}  // namespace

std::string repeat_command(const std::string& typed, const std::string& configuration,
                           const RepeatedCase& repeated) {
  const std::vector<std::string> words = typed_words(typed);
  std::string text;
  if (words.size() > 2 && words[0] == "bench" && words[1] == "run") {
    text = "bench run";
    for (std::size_t i = 2; i < words.size(); ++i) {
      if (is_one_of(words[i], kDroppedAlone)) continue;
      if (is_one_of(words[i], kDropped)) {
        i += words[i].find('=') == std::string::npos ? 1 : 0;
        continue;
      }
      text += " " + words[i];
    }
  } else {
    text = "bench run " + shell_word(format("configs/{}.yaml", configuration));
  }
  text += " --only " + shell_word(repeated.workload + "/" + repeated.what.variant);
  if (!repeated.relative_to.empty()) {
    text += " --only " + shell_word(repeated.workload + "/" + repeated.relative_to);
  }
  for (const std::string& axis : repeated.axes) {
    const ParameterInfo* info = find_parameter(axis);
    if (info == nullptr) continue;
    // A list of one: that is how a paired axis is set too.
    text += " --set " + shell_word(format("{}.{}=[{}]", repeated.workload, axis,
                                          to_text(repeated.what.parameters, *info)));
  }
  return text;
}

}  // namespace bench
