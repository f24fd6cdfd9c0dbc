#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

// A parsed JSON value: a whole document or a part of one (which keeps the document alive). Reading
// a part that is absent or of another kind throws Error (exit 2) that names the source and the
// place: "night.json: measurements[3].replicate: a whole number is needed".
class Json {
 public:
  // Strict RFC 8259: NaN, Infinity, comments and trailing text are refused with source:line:column.
  static Json parse(std::string_view text, const std::string& source);

  [[nodiscard]] std::optional<Json> find(std::string_view key) const;  // nullopt: absent or null
  [[nodiscard]] Json at(std::string_view key) const;
  [[nodiscard]] std::vector<Json> items() const;                            // of an array
  [[nodiscard]] std::vector<std::pair<std::string, Json>> members() const;  // of an object, sorted

  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool is_number() const;
  [[nodiscard]] bool is_text() const;
  [[nodiscard]] bool truth() const;
  [[nodiscard]] double number() const;
  [[nodiscard]] std::int64_t count() const;  // a whole number
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::vector<double> numbers() const;  // of an array of numbers

  // The value of a member that may be left out.
  [[nodiscard]] std::string text_or(std::string_view key, const std::string& otherwise) const;
  [[nodiscard]] double number_or(std::string_view key, double otherwise) const;
  [[nodiscard]] std::int64_t count_or(std::string_view key, std::int64_t otherwise) const;

  // Throws Error that says what is needed at this place.
  [[noreturn]] void refuse(const std::string& needed) const;

 private:
  Json(std::shared_ptr<const void> node, std::string place)
      : node_(std::move(node)), place_(std::move(place)) {}

  std::shared_ptr<const void> node_;  // the parser's value, shared with its document
  std::string place_;                 // "night.json: measurements[3]"
};

}  // namespace bench
