#include "runners/script.h"

#include <algorithm>
#include <array>
#include <variant>

#include "harness/error.h"
#include "harness/format.h"

namespace bench {
namespace {

constexpr std::array<std::string_view, 8> kWords{"crash", "kill",      "exit",    "hang",
                                                 "oom",   "incorrect", "invalid", "fail"};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(trimmed(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// Takes what follows `mark` off the end of the text; empty when there is none.
std::string_view take_after(std::string_view& text, char mark) {
  const std::size_t at = text.rfind(mark);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = trimmed(text.substr(at + 1));
  text = trimmed(text.substr(0, at));
  return rest;
}

ScriptTerm parse_term(std::string_view text) {
  ScriptTerm term;
  term.stage = take_after(text, '@');
  term.parameter = take_after(text, '*');
  if (!term.parameter.empty() && find_parameter(term.parameter) == nullptr) {
    fail_usage(format("script: no parameter '{}'", term.parameter));
  }
  term.seconds = parse_seconds(text).count();
  return term;
}

ScriptOutcome parse_outcome(std::string_view text) {
  ScriptOutcome outcome;
  if (std::ranges::find(kWords, text) != kWords.end()) {
    outcome.word = text;
    return outcome;
  }
  const std::string_view noise = take_after(text, '~');
  if (!noise.empty()) outcome.noise = parse_fraction(noise);
  for (const std::string_view term : split(text, '+')) outcome.terms.push_back(parse_term(term));
  return outcome;
}

}  // namespace

ScriptOutcome script_outcome(std::string_view script, std::string_view variant,
                             std::int64_t replicate) {
  const std::string exact = format("{}#{}", variant, replicate);
  std::string_view found;
  for (const std::string_view entry : split(script, ';')) {
    if (entry.empty()) continue;
    const std::size_t at = entry.find('=');
    if (at == std::string_view::npos) {
      fail_usage(format("script: '{}' has no '=' (write variant = 10ms)", entry));
    }
    const std::string_view name = trimmed(entry.substr(0, at));
    if (name == exact) return parse_outcome(trimmed(entry.substr(at + 1)));
    if (name == variant) found = trimmed(entry.substr(at + 1));
  }
  if (found.empty()) fail_usage(format("script: nothing for variant '{}'", variant));
  return parse_outcome(found);
}

Seconds term_time(const ScriptTerm& term, const Parameters& parameters) {
  if (term.parameter.empty()) return Seconds(term.seconds);
  const ParameterValue value = find_parameter(term.parameter)->get(parameters);
  if (const auto* count = std::get_if<std::int64_t>(&value)) {
    return Seconds(term.seconds * static_cast<double>(*count));
  }
  if (const auto* real = std::get_if<double>(&value)) return Seconds(term.seconds * *real);
  fail_usage(format("script: '{}' is not a number", term.parameter));
}

}  // namespace bench
