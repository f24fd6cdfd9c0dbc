#include "workloads/variables.h"

#include <algorithm>
#include <string_view>

#include "harness/error.h"
#include "harness/format.h"

namespace bench {
namespace {

bool is_name(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  const auto tail = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && letter(name[0]) && std::ranges::all_of(name, tail);
}

}  // namespace

bool has_variables(const std::string& text) { return text.find("${") != std::string::npos; }

Expanded expand_variables(const std::string& text, const Environment& environment) {
  Expanded out;
  std::size_t at = 0;
  while (true) {
    const std::size_t begin = text.find("${", at);
    out.text += text.substr(at, begin - at);
    if (begin == std::string::npos) return out;
    const std::size_t end = text.find('}', begin);
    const std::string inside =
        end == std::string::npos ? "" : text.substr(begin + 2, end - begin - 2);
    const std::size_t dash = inside.find(":-");
    const std::string name = inside.substr(0, dash);
    if (!is_name(name)) {
      fail_usage(format("'{}' is not a variable (write ${{NAME}} or ${{NAME:-default}})",
                        text.substr(begin, end == std::string::npos ? end : end - begin + 1)));
    }
    const auto value = environment ? environment(name) : std::nullopt;
    if (value && !value->empty()) {
      out.text += *value;
    } else if (dash != std::string::npos) {
      out.text += inside.substr(dash + 2);
    } else if (out.unset.empty()) {
      out.unset = name;
    }
    at = end + 1;
  }
}

}  // namespace bench
