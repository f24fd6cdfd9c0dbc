#include "runners/http/json.h"

#include <simdjson.h>

#include <cstring>
#include <sstream>
#include <type_traits>

namespace bench {

namespace dom = simdjson::dom;

// The one place that knows what the two words of a JsonValue are.
struct JsonAccess {
  static JsonValue wrap(const dom::element& element) {
    static_assert(sizeof(dom::element) == sizeof(JsonValue::element_));
    static_assert(std::is_trivially_copyable_v<dom::element>);
    JsonValue value;
    value.present_ = !element.is_null();
    std::memcpy(value.element_.data(), &element, sizeof element);
    return value;
  }
  static JsonValue wrap(const simdjson::simdjson_result<dom::element>& result) {
    dom::element element;
    return result.get(element) == simdjson::SUCCESS ? wrap(element) : JsonValue();
  }
  static dom::element element(const JsonValue& value) {
    dom::element element;
    std::memcpy(static_cast<void*>(&element), value.element_.data(), sizeof element);
    return element;
  }
};

namespace {

template <typename T>
std::optional<T> get(bool present, const JsonValue& value) {
  T result;
  if (!present || JsonAccess::element(value).get(result) != simdjson::SUCCESS) return std::nullopt;
  return result;
}

}  // namespace

bool JsonValue::is_object() const { return present_ && JsonAccess::element(*this).is_object(); }

bool JsonValue::is_array() const { return present_ && JsonAccess::element(*this).is_array(); }

JsonValue JsonValue::operator[](std::string_view key) const {
  const auto object = get<dom::object>(present_, *this);
  return object ? JsonAccess::wrap(object->at_key(key)) : JsonValue();
}

JsonValue JsonValue::at(std::size_t index) const {
  const auto array = get<dom::array>(present_, *this);
  return array ? JsonAccess::wrap(array->at(index)) : JsonValue();
}

std::size_t JsonValue::size() const {
  const auto array = get<dom::array>(present_, *this);
  return array ? array->size() : 0;
}

std::optional<std::string_view> JsonValue::text() const {
  return get<std::string_view>(present_, *this);
}

std::optional<std::int64_t> JsonValue::count() const {
  const auto value = get<std::int64_t>(present_, *this);
  return value && *value >= 0 ? value : std::nullopt;
}

std::optional<double> JsonValue::number() const { return get<double>(present_, *this); }

bool JsonValue::is_true() const { return get<bool>(present_, *this).value_or(false); }

std::vector<JsonValue> JsonValue::elements() const {
  std::vector<JsonValue> all;
  if (const auto array = get<dom::array>(present_, *this)) {
    for (const dom::element element : *array) all.push_back(JsonAccess::wrap(element));
  }
  return all;
}

std::vector<std::pair<std::string_view, JsonValue>> JsonValue::fields() const {
  std::vector<std::pair<std::string_view, JsonValue>> all;
  if (const auto object = get<dom::object>(present_, *this)) {
    for (const auto field : *object) all.emplace_back(field.key, JsonAccess::wrap(field.value));
  }
  return all;
}

std::string JsonValue::dump() const {
  if (!present_) return {};
  std::ostringstream out;
  out << simdjson::minify<dom::element>(JsonAccess::element(*this));
  return out.str();
}

struct JsonParser::State {
  dom::parser parser;
};

JsonParser::JsonParser() : state_(std::make_unique<State>()) {}
JsonParser::~JsonParser() = default;

JsonValue JsonParser::parse(std::string_view text) {
  return JsonAccess::wrap(state_->parser.parse(text.data(), text.size(), true));
}

}  // namespace bench
