#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/units.h"

namespace bench {

// A flag a command takes. `value` names what follows it ("FILE"); empty: a switch.
struct Flag {
  std::string name;  // "set", written --set
  std::string value;
  std::string help;
  bool repeated = false;
};

// A command line, taken apart.
class Arguments {
 public:
  Arguments(std::string text, std::vector<std::string> positionals,
            std::map<std::string, std::vector<std::string>> flags)
      : text_(std::move(text)), positionals_(std::move(positionals)), flags_(std::move(flags)) {}

  [[nodiscard]] const std::string& text() const { return text_; }  // as typed: "bench run x.yaml"

  [[nodiscard]] bool has(const std::string& flag) const { return flags_.contains(flag); }
  [[nodiscard]] std::optional<std::string> get(const std::string& flag) const;  // the last given
  [[nodiscard]] std::vector<std::string> all(const std::string& flag) const;
  [[nodiscard]] const std::vector<std::string>& positionals() const { return positionals_; }
  [[nodiscard]] std::optional<std::string> positional(std::size_t index) const;

  // The value of a flag, converted; none when it is not given. A bad one throws Error (exit 2) that
  // names the flag.
  [[nodiscard]] std::optional<std::int64_t> count(const std::string& flag, std::int64_t least,
                                                  std::int64_t most = INT64_MAX) const;
  [[nodiscard]] std::optional<Seconds> seconds(const std::string& flag) const;
  [[nodiscard]] std::optional<double> fraction(const std::string& flag) const;  // between 0 and 1

 private:
  std::string text_;
  std::vector<std::string> positionals_;
  std::map<std::string, std::vector<std::string>> flags_;
};

struct Command;

// Takes the words after the command's name apart; throws Error (exit 2) that names the flag and
// what would be right. nullopt: --help was asked for and printed.
std::optional<Arguments> parse_arguments(const Command& command,
                                         const std::vector<std::string>& words);

// The text of `bench COMMAND --help`.
std::string help_text(const Command& command);

}  // namespace bench
