#pragma once

#include <optional>
#include <string_view>

namespace bench {

// Reading of the Prometheus text format: `name{labels} value [timestamp]` a line.

// The sum of all series of that name, or of name_total; absent when there is none.
std::optional<double> series_sum(std::string_view metrics, std::string_view name);

// A label's value in the first series of that name: vllm:cache_config_info{block_size="16",...}.
std::optional<std::string_view> series_label(std::string_view metrics, std::string_view name,
                                             std::string_view label);

}  // namespace bench
