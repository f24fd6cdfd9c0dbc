#include "workloads/case.h"

#include <cstdint>

#include "harness/error.h"
#include "harness/format.h"

namespace bench {
namespace {

// Text may hold the separators of the canonical form; they are percent-encoded.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain = c != ';' && c != '=' && c != '%' && (static_cast<unsigned char>(c) >= 0x20);
    if (plain) out += c;
    if (!plain) out += format("%{:02x}", static_cast<unsigned char>(c));
  }
  return out;
}

// Shortest decimal text that reads back as the same number.
std::string value_text(const ParameterValue& value) {
  if (const auto* words = std::get_if<std::string>(&value)) return escaped(*words);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return format("{}", *whole);
  return format("{}", std::get<double>(value));
}

// A parameter that is part of the identity.
struct Identifying {
  const ParameterInfo* info;
  ParameterValue neutral;
};

std::vector<Identifying> identifying() {
  std::vector<Identifying> all;
  for (const ParameterInfo& info : parameter_table()) {
    if (info.identity) all.push_back({&info, info.get({})});
  }
  return all;
}

}  // namespace

std::string canonical(const Case& c) {
  static const std::vector<Identifying> kIdentifying = identifying();
  std::string out = format("runner={};variant={}", escaped(c.runner), escaped(c.variant));
  for (const auto& [info, neutral] : kIdentifying) {
    const ParameterValue value = info->get(c.parameters);
    if (value != neutral) out += format(";{}={}", info->name, value_text(value));
  }
  return out;
}

std::string case_id(const Case& c) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : canonical(c)) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x100000001b3u;
  }
  return format("{:016x}", hash);
}

const std::string& CaseIds::of(const Case& c) {
  if (!id_.empty() && c == last_) return id_;
  last_ = c;
  id_ = case_id(c);
  return id_;
}

std::string label(const Parameters& parameters, const std::vector<std::string>& axes) {
  std::string out;
  for (const auto& axis : axes) {
    const ParameterInfo* const info = find_parameter(axis);
    if (info == nullptr) fail(format("no parameter '{}'", axis));
    out += format("{}{} {}", out.empty() ? "" : ", ", axis, to_text(parameters, *info));
  }
  return out;
}

}  // namespace bench
