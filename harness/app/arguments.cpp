#include "harness/app/arguments.h"

#include <algorithm>
#include <cxxopts.hpp>
#include <iostream>
#include <ranges>

#include "harness/app/command.h"
#include "harness/app/shell_word.h"
#include "harness/format.h"
#include "harness/suggest.h"
#include "workloads/yaml.h"

namespace bench {
namespace {

cxxopts::Options parser_of(const Command& command) {
  cxxopts::Options options("bench " + command.name, command.summary);
  const bool both = !command.flags.empty() && !command.positionals.empty();
  options.custom_help(command.positionals + (both ? " " : "") +
                      (command.flags.empty() ? "" : "[FLAGS]"));
  auto add = options.add_options();
  for (const Flag& flag : command.flags) {
    if (flag.value.empty()) {
      add(flag.name, flag.help, cxxopts::value<bool>());
    } else {
      add(flag.name, flag.help, cxxopts::value<std::string>(), flag.value);
    }
  }
  add("help", "show this text");
  return options;
}

void check_value(const Command& command, const Flag& flag, bool given, const std::string* next) {
  if (flag.value.empty() && given) {
    fail_usage(format("bench {}: --{} takes no value", command.name, flag.name));
  }
  if (!flag.value.empty() && !given && (next == nullptr || next->starts_with("--"))) {
    fail_usage(format("bench {}: --{} needs a value (write: --{} {})", command.name, flag.name,
                      flag.name, flag.value));
  }
}

// cxxopts splits a vector's values at commas, which would tear [1k,4k] apart, and its own messages
// do not suggest: so the flags are checked here, and cxxopts is given each word as it stands.
void check_flags(const Command& command, const std::vector<std::string>& words) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word == "--") return;
    if (!word.starts_with("-") || word == "-") continue;
    if (!word.starts_with("--")) {
      fail_usage(format("bench {}: unknown flag '{}' (flags begin with --)", command.name, word));
    }
    const std::string name = word.substr(2, word.find('=') - 2);
    std::vector<std::string> known{"--help"};
    for (const Flag& flag : command.flags) known.push_back("--" + flag.name);
    if (std::ranges::find(known, "--" + name) == known.end()) {
      fail_usage(format("bench {}: unknown flag '--{}'{}", command.name, name,
                        suggestion("--" + name, known)));
    }
    const auto flag = std::ranges::find(command.flags, name, &Flag::name);
    if (flag == command.flags.end()) continue;
    const bool given = word.find('=') != std::string::npos;
    check_value(command, *flag, given, at + 1 < words.size() ? &words[at + 1] : nullptr);
  }
}

// cxxopts knows flags of one letter only as -a VALUE; ours are --a VALUE or --a=VALUE.
std::vector<std::string> as_cxxopts_spells(const std::vector<std::string>& words) {
  std::vector<std::string> spelt;
  bool flags = true;
  for (const std::string& word : words) {
    flags = flags && word != "--";
    const bool one_letter =
        flags && word.starts_with("--") && word.size() >= 3 && (word.size() == 3 || word[3] == '=');
    spelt.push_back(one_letter ? word.substr(1, 2) : word);
    if (one_letter && word.size() > 3) spelt.push_back(word.substr(4));
  }
  return spelt;
}

// The command line in a form the shell reads back.
std::string typed(const Command& command, const std::vector<std::string>& words) {
  std::string text = "bench " + command.name;
  for (const std::string& word : words) text += " " + shell_word(word);
  return text;
}

void check_positionals(const Command& command, std::size_t given) {
  const auto spaces = std::ranges::count(command.positionals, ' ');
  const std::size_t most = command.positionals.empty() ? 0 : static_cast<std::size_t>(spaces) + 1;
  const std::size_t fewest =
      most - static_cast<std::size_t>(std::ranges::count(command.positionals, '['));
  if (most == 0 && given > 0) {
    fail_usage(format("bench {}: takes flags only, no other words", command.name));
  }
  if (given < fewest || given > most) {
    fail_usage(format("bench {}: {} (write: bench {} {})", command.name,
                      given < fewest ? "something is missing" : "too many words", command.name,
                      command.positionals));
  }
}

}  // namespace

std::optional<std::string> Arguments::get(const std::string& flag) const {
  const auto it = flags_.find(flag);
  if (it == flags_.end() || it->second.empty()) return std::nullopt;
  return it->second.back();
}

std::vector<std::string> Arguments::all(const std::string& flag) const {
  const auto it = flags_.find(flag);
  return it == flags_.end() ? std::vector<std::string>{} : it->second;
}

std::optional<std::string> Arguments::positional(std::size_t index) const {
  if (index >= positionals_.size()) return std::nullopt;
  return positionals_[index];
}

std::optional<std::int64_t> Arguments::count(const std::string& flag, std::int64_t least,
                                             std::int64_t most) const {
  const auto text = get(flag);
  if (!text) return std::nullopt;
  const auto count = located({.source = "--" + flag}, [&] { return parse_count(*text); });
  if (count < least || count > most) {
    fail_usage(format("--{}: write a count from {}{}", flag, least,
                      most == INT64_MAX ? "" : format(" to {}", most)));
  }
  return count;
}

std::optional<Seconds> Arguments::seconds(const std::string& flag) const {
  const auto text = get(flag);
  if (!text) return std::nullopt;
  return located({.source = "--" + flag}, [&] { return parse_seconds(*text); });
}

std::optional<double> Arguments::fraction(const std::string& flag) const {
  const auto text = get(flag);
  if (!text) return std::nullopt;
  const double value = located({.source = "--" + flag}, [&] { return parse_fraction(*text); });
  if (!(value > 0 && value < 1))
    fail_usage(format("--{}: write a fraction below 1, such as 2%", flag));
  return value;
}

std::string help_text(const Command& command) {
  std::string text = parser_of(command).help();
  if (!command.example.empty()) text += format("\nExample:\n  {}\n", command.example);
  return text;
}

std::optional<Arguments> parse_arguments(const Command& command,
                                         const std::vector<std::string>& words) {
  check_flags(command, words);
  const std::vector<std::string> spelt = as_cxxopts_spells(words);
  std::vector<const char*> argv{"bench"};
  for (const std::string& word : spelt) argv.push_back(word.c_str());
  try {
    cxxopts::Options options = parser_of(command);
    const auto parsed = options.parse(static_cast<int>(argv.size()), argv.data());
    if (parsed.count("help") != 0) {
      std::cout << help_text(command);
      return std::nullopt;
    }
    std::map<std::string, std::vector<std::string>> flags;
    for (const auto& pair : parsed.arguments()) flags[pair.key()].push_back(pair.value());
    for (const Flag& flag : command.flags) {
      if (!flag.repeated && flags.contains(flag.name) && flags[flag.name].size() > 1) {
        fail_usage(format("bench {}: --{} is given twice", command.name, flag.name));
      }
    }
    check_positionals(command, parsed.unmatched().size());
    return Arguments(typed(command, words), parsed.unmatched(), std::move(flags));
  } catch (const cxxopts::exceptions::exception& error) {
    fail_usage(format("bench {}: {}", command.name, error.what()));
  }
}

}  // namespace bench
