#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

// Bytes of the UTF-8 sequence at the front of text; 0: it is none.
std::size_t utf8_length(std::string_view text);

// Writes JSON piece by piece, on one line unless told otherwise: what it writes any strict parser
// reads back to the same bits. NaN and infinity throw Error that names the member; bytes that are
// no UTF-8 become U+FFFD.
class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& new_line();  // before the next value, so that a large export can be read and diffed

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);
  JsonWriter& value(std::span<const double> numbers);
  JsonWriter& value(std::span<const std::int32_t> numbers);
  JsonWriter& null();
  template <std::integral T>
  JsonWriter& value(T number) {
    if constexpr (std::same_as<T, bool>)
      return raw(number ? "true" : "false");
    else
      return raw(std::to_string(number));
  }

  template <typename T>
  JsonWriter& member(std::string_view name, const T& content) {
    return key(name).value(content);
  }

  [[nodiscard]] std::string take();  // what was written since the last take

 private:
  JsonWriter& raw(std::string_view text);
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();

  std::string out_;
  std::string key_;     // of the value to come, for messages
  bool comma_ = false;  // the next value follows another
  bool new_line_ = false;
};

}  // namespace bench
