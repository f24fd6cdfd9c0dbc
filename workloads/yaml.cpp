#include "workloads/yaml.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "harness/format.h"
#include "workloads/utf8.h"

namespace bench {

namespace {

// Quoted pieces of a file may have line ends in them; a complaint is one line.
std::string on_one_line(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  return out;
}

// Without its middle when it is long: the end says what would be right.
std::string shortened(std::string text) {
  constexpr std::size_t kMost = 500, kKept = 200;
  if (text.size() <= kMost) return text;
  std::size_t begin = kKept, end = text.size() - kKept;
  while (continues_character(text[begin])) --begin;
  while (continues_character(text[end])) ++end;
  return text.substr(0, begin) + " ... " + text.substr(end);
}

}  // namespace

std::string Where::text() const {
  return line == 0 ? source : format("{}:{}:{}", source, line, column);
}

void complain(const Where& where, std::string_view what) {
  fail_usage(shortened(on_one_line(format("{}: {}", where.text(), what))));
}

const YamlEntry* Yaml::find(std::string_view key) const {
  const auto it = std::ranges::find(entries, key, &YamlEntry::key);
  return it == entries.end() ? nullptr : &*it;
}

YamlEntry* Yaml::find(std::string_view key) {
  const auto it = std::ranges::find(entries, key, &YamlEntry::key);
  return it == entries.end() ? nullptr : &*it;
}

std::string read_text_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    fail_usage(format("{}: is a folder (name a .yaml file in it)", path));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) fail_usage(format("{}: {}", path, std::strerror(errno)));
  std::string text(kYamlBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad()) fail_usage(format("{}: cannot be read", path));
  return text;
}

}  // namespace bench
