#include "workloads/keys.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "harness/format.h"
#include "harness/suggest.h"
#include "harness/units.h"

namespace bench {
namespace {

// What other benchmarks call our parameters.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kElsewhere{{
    {"batch", "concurrency"},
    {"batch_size", "concurrency"},
    {"max_concurrency", "concurrency"},
    {"isl", "context"},
    {"input_len", "context"},
    {"input_tokens", "context"},
    {"kv_len", "context"},
    {"seq_len", "context"},
    {"osl", "output_tokens"},
    {"output_len", "output_tokens"},
    {"max_tokens", "output_tokens"},
    {"num_prompts", "requests"},
    {"qps", "request_rate_per_s"},
    {"request_rate", "request_rate_per_s"},
    {"tp", "tensor_parallel"},
    {"url", "endpoint"},
}};

std::string_view kind_name(const Yaml& node) {
  switch (node.kind) {
    case Yaml::Kind::null:
      return "nothing";
    case Yaml::Kind::scalar:
      return "a single value";
    case Yaml::Kind::list:
      return "a list";
    case Yaml::Kind::map:
      return "a map";
  }
  return "";
}

// An Error of `parse` gets the node's place and `what` in front.
template <typename Number>
Number parsed(const Yaml& node, std::string_view what, Number (*parse)(std::string_view)) {
  const std::string& text = word(node, what);
  try {
    return parse(text);
  } catch (const Error& error) {
    complain(node.where, format("{}: {}", what, error.what()));
  }
}

template <typename Number>
Number in_range(Number number, const Yaml& node, std::string_view what,
                std::pair<Number, Number> range, std::string (*show)(Number)) {
  if (number >= range.first && number <= range.second) return number;
  complain(node.where, format("{}: {} is out of range ({} to {})", what, node.text,
                              show(range.first), show(range.second)));
}

std::string show_seconds(double seconds) { return format_seconds(Seconds(seconds)); }
std::string show_fraction(double fraction) { return format("{}", fraction); }

}  // namespace

const std::string& word(const Yaml& node, std::string_view what) {
  if (node.kind == Yaml::Kind::null) complain(node.where, format("{} has no value", what));
  if (node.kind != Yaml::Kind::scalar) {
    complain(node.where, format("{}: expected a single value, got {}", what, kind_name(node)));
  }
  return node.text;
}

std::vector<std::string> words(const Yaml& node, std::string_view what) {
  if (node.kind == Yaml::Kind::scalar) return {node.text};
  if (node.kind != Yaml::Kind::list) {
    complain(node.where, format("{}: expected a list, got {}", what, kind_name(node)));
  }
  if (node.items.empty()) complain(node.where, format("{}: the list is empty", what));
  std::vector<std::string> out;
  for (const auto& item : node.items) out.push_back(word(item, what));
  return out;
}

const Yaml& map_of(const Yaml& node, std::string_view what) {
  if (node.kind != Yaml::Kind::map) {
    complain(node.where, format("{}: expected 'key: value' lines, got {}", what, kind_name(node)));
  }
  return node;
}

std::int64_t count_in(const Yaml& node, std::string_view what, std::int64_t low,
                      std::int64_t high) {
  return in_range<std::int64_t>(parsed(node, what, parse_count), node, what, {low, high},
                                format_count);
}

double seconds_in(const Yaml& node, std::string_view what, double low, double high) {
  return in_range<double>(parsed(node, what, parse_seconds).count(), node, what, {low, high},
                          show_seconds);
}

double fraction_in(const Yaml& node, std::string_view what, double low, double high) {
  return in_range<double>(parsed(node, what, parse_fraction), node, what, {low, high},
                          show_fraction);
}

void check_name(std::string_view name, const Where& where, std::string_view what,
                std::string_view others) {
  const auto allowed = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           others.find(c) != std::string_view::npos;
  };
  constexpr std::size_t kLongest = 100;  // a file is named after it
  if (name.size() > kLongest) complain(where, format("{}: longer than {} bytes", what, kLongest));
  if (!name.empty() && std::ranges::all_of(name, allowed)) return;
  complain(where,
           format("{} '{}': a name is made of letters, digits and '{}'", what, name, others));
}

std::string key_suggestion(std::string_view key, const std::vector<std::string>& known) {
  const auto elsewhere =
      std::ranges::find(kElsewhere, key, [](const auto& pair) { return pair.first; });
  if (elsewhere != kElsewhere.end() && std::ranges::count(known, elsewhere->second) > 0) {
    return format(" (did you mean '{}'?)", elsewhere->second);
  }
  return suggestion(key, known);
}

void check_keys(const Yaml& map, const std::vector<std::string>& known, std::string_view what) {
  for (const auto& entry : map_of(map, what).entries) {
    if (std::ranges::count(known, entry.key) > 0) continue;
    std::string hint = key_suggestion(entry.key, known);
    if (hint.empty()) hint = format(" (there are: {})", join(known, ", "));
    complain(entry.where, format("unknown key '{}'{}", entry.key, hint));
  }
}

}  // namespace bench
