#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/yaml.h"

namespace bench {

// Readers of one node each. All complain with the node's place; `what` names it for people.
const std::string& word(const Yaml& node, std::string_view what);         // a scalar's text
std::vector<std::string> words(const Yaml& node, std::string_view what);  // a list, or one scalar
const Yaml& map_of(const Yaml& node, std::string_view what);
std::int64_t count_in(const Yaml& node, std::string_view what, std::int64_t low, std::int64_t high);
double seconds_in(const Yaml& node, std::string_view what, double low, double high);
double fraction_in(const Yaml& node, std::string_view what, double low, double high);

// A name of a plan, workload, variant or server: letters, digits, and `others`.
void check_name(std::string_view name, const Where& where, std::string_view what,
                std::string_view others);

// Complains of an entry whose key is none of `known`.
void check_keys(const Yaml& map, const std::vector<std::string>& known, std::string_view what);

// " (did you mean 'context'?)" from the keys that fit here, or from words of other tools for the
// same thing (batch_size, isl); empty when nothing is near.
std::string key_suggestion(std::string_view key, const std::vector<std::string>& known);

}  // namespace bench
