#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/error.h"

namespace bench {

// Where a piece of a configuration came from, for complaints.
struct Where {
  std::string source;  // a path, or "--set context=4x"
  int line = 0;        // from 1; 0: the source as a whole
  int column = 0;      // in characters, from 1

  [[nodiscard]] std::string text() const;  // "configs/glm5.yaml:14:7"
};

// Throws Error (exit 2): "<where>: <what>".
[[noreturn]] void complain(const Where& where, std::string_view what);

struct YamlEntry;

// A YAML document as a plain tree. Scalars are text; what they mean is the reader's to say.
struct Yaml {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  Where where;
  std::string text;                // of a scalar
  bool quoted = false;             // of a scalar: quoted or a block
  std::vector<Yaml> items;         // of a list
  std::vector<YamlEntry> entries;  // of a map, in the order of the file; no key twice

  [[nodiscard]] const YamlEntry* find(std::string_view key) const;  // nullptr: no such
  [[nodiscard]] YamlEntry* find(std::string_view key);
};

struct YamlEntry {
  std::string key;
  Where where;
  Yaml value;
};

// What a file may hold. Beyond: a complaint, not a slow machine.
inline constexpr std::size_t kYamlBytes = 1 << 20;
inline constexpr std::size_t kYamlNodes = 100'000;  // aliases expanded
inline constexpr std::size_t kYamlDepth = 32;

// One document of UTF-8 text. Complains of everything YAML forbids, and of a key used twice, tags,
// merge keys, a second document. The top level is a map.
Yaml read_yaml(std::string_view text, const std::string& source);

// The value of a --set: a list or map in flow form, else a scalar, verbatim.
Yaml read_yaml_value(std::string_view text, const Where& where);

// Text that reads back as the same tree. Comments and layout are lost.
std::string write_yaml(const Yaml& document);

// The text of a configuration file. Complains when there is none, it is a folder, too long, or
// not text.
std::string read_text_file(const std::string& path);

// Runs `read`; an Error of it gets `where` in front.
template <typename Read>
auto located(const Where& where, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    complain(where, error.what());
  }
}

}  // namespace bench
