#include "results/json.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/error.h"
#include "harness/format.h"

namespace bench {
namespace {

const nlohmann::json& node(const std::shared_ptr<const void>& pointer) {
  return *static_cast<const nlohmann::json*>(pointer.get());
}

// What stands at the place where parsing stopped, in words that help.
std::string complaint(std::string_view rest) {
  for (const std::string_view word :
       {"NaN", "nan", "Infinity", "inf", "-Infinity", "-inf", "-nan"}) {
    if (rest.starts_with(word)) return format("{} is not a JSON number", word);
  }
  if (rest.empty()) return "the text ends in the middle: was its writer stopped?";
  return format("'{}' is not expected here", rest.front());
}

[[noreturn]] void fail_at(std::string_view text, std::size_t byte, const std::string& source,
                          const std::string& what) {
  const std::string_view before = text.substr(0, byte);
  const auto line = 1 + std::ranges::count(before, '\n');
  const auto line_start = before.rfind('\n');
  const auto column = 1 + byte - (line_start == std::string_view::npos ? 0 : line_start + 1);
  fail_usage(format("{}:{}:{}: not JSON: {}", source, line, column, what));
}

// The parser reports the byte after the last one it read, which is inside the token it refused.
std::size_t token_start(std::string_view text, std::size_t byte) {
  std::size_t start = std::min(byte == 0 ? 0 : byte - 1, text.size());
  if (byte > text.size()) return text.size();
  const auto part_of_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.' ||
           (c >= '0' && c <= '9');
  };
  while (start > 0 && start < text.size() && part_of_word(text[start]) &&
         part_of_word(text[start - 1])) {
    --start;
  }
  return start;
}

}  // namespace

Json Json::parse(std::string_view text, const std::string& source) {
  try {
    auto document = std::make_shared<const nlohmann::json>(nlohmann::json::parse(text));
    return {document, source + ": "};
  } catch (const nlohmann::json::parse_error& error) {
    const std::size_t start = token_start(text, error.byte);
    fail_at(text, start, source, complaint(text.substr(start)));
  } catch (const nlohmann::json::exception&) {  // a number beyond double
    fail_usage(source + ": not JSON: a number is too large for a double");
  }
}

void Json::refuse(const std::string& needed) const {
  const bool whole = place_.ends_with(": ");
  fail_usage(format("{}{}{} is needed", place_, whole ? "" : ": ", needed));
}

std::optional<Json> Json::find(std::string_view key) const {
  if (!node(node_).is_object()) refuse("an object");
  const auto it = node(node_).find(std::string(key));
  if (it == node(node_).end() || it->is_null()) return std::nullopt;
  const char* dot = place_.ends_with(": ") ? "" : ".";
  return Json({node_, &*it}, format("{}{}{}", place_, dot, key));
}

Json Json::at(std::string_view key) const {
  auto member = find(key);
  if (!member) refuse(format("a member '{}'", key));
  return *std::move(member);
}

std::vector<Json> Json::items() const {
  if (!node(node_).is_array()) refuse("an array");
  std::vector<Json> items;
  items.reserve(node(node_).size());
  for (const auto& item : node(node_)) {
    items.push_back(Json({node_, &item}, format("{}[{}]", place_, items.size())));
  }
  return items;
}

std::vector<std::pair<std::string, Json>> Json::members() const {
  if (!node(node_).is_object()) refuse("an object");
  std::vector<std::pair<std::string, Json>> members;
  const char* dot = place_.ends_with(": ") ? "" : ".";
  for (const auto& [key, value] : node(node_).items()) {
    members.emplace_back(key, Json({node_, &value}, place_ + dot + key));
  }
  return members;
}

bool Json::is_null() const { return node(node_).is_null(); }
bool Json::is_number() const { return node(node_).is_number(); }
bool Json::is_text() const { return node(node_).is_string(); }

bool Json::truth() const {
  if (!node(node_).is_boolean()) refuse("true or false");
  return node(node_).get<bool>();
}

double Json::number() const {
  if (!is_number()) refuse("a number");
  return node(node_).get<double>();
}

std::int64_t Json::count() const {
  const auto& value = node(node_);
  const bool too_large = value.is_number_unsigned() &&
                         value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max();
  if (!value.is_number_integer() || too_large) refuse("a whole number");
  return value.get<std::int64_t>();
}

std::string Json::text() const {
  if (!is_text()) refuse("a text");
  return node(node_).get<std::string>();
}

std::vector<double> Json::numbers() const {
  if (!node(node_).is_array()) refuse("an array");
  std::vector<double> numbers;
  numbers.reserve(node(node_).size());
  for (const auto& item : node(node_)) {
    if (!item.is_number()) refuse("an array of numbers");
    numbers.push_back(item.get<double>());
  }
  return numbers;
}

std::string Json::text_or(std::string_view key, const std::string& otherwise) const {
  const auto member = find(key);
  return member ? member->text() : otherwise;
}

double Json::number_or(std::string_view key, double otherwise) const {
  const auto member = find(key);
  return member ? member->number() : otherwise;
}

std::int64_t Json::count_or(std::string_view key, std::int64_t otherwise) const {
  const auto member = find(key);
  return member ? member->count() : otherwise;
}

}  // namespace bench
