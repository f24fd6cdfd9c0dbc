#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

// A value of a parsed message: two words, copied freely. Asking an absent value, or one of another
// type, gives absent; null counts as absent. Lives until the parser's next parse().
class JsonValue {
 public:
  JsonValue() = default;

  [[nodiscard]] explicit operator bool() const { return present_; }
  [[nodiscard]] bool is_object() const;
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] JsonValue operator[](std::string_view key) const;
  [[nodiscard]] JsonValue at(std::size_t index) const;
  [[nodiscard]] std::size_t size() const;  // of an array; else 0
  [[nodiscard]] std::optional<std::string_view> text() const;
  [[nodiscard]] std::optional<std::int64_t> count() const;  // whole and not negative
  [[nodiscard]] std::optional<double> number() const;
  [[nodiscard]] bool is_true() const;
  [[nodiscard]] std::vector<JsonValue> elements() const;                             // of an array
  [[nodiscard]] std::vector<std::pair<std::string_view, JsonValue>> fields() const;  // of an object
  [[nodiscard]] std::string dump() const;  // minified; empty when absent

 private:
  friend class JsonParser;
  friend struct JsonAccess;
  bool present_ = false;
  std::array<std::uint64_t, 2> element_{};  // simdjson's element; json.cpp alone looks inside
};

// Parses one document at a time into memory that it reuses (simdjson seen only in json.cpp).
class JsonParser {
 public:
  JsonParser();
  ~JsonParser();
  JsonParser(const JsonParser&) = delete;
  JsonParser& operator=(const JsonParser&) = delete;

  // Absent when the text is not one JSON document.
  JsonValue parse(std::string_view text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bench
