#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

// Reading of the Prometheus text format: `name{labels} value [timestamp]` a line.

// The sum of all series of that name, or of name_total; absent when there is none.
std::optional<double> series_sum(std::string_view metrics, std::string_view name);

// All labels of the first series of that name.
std::vector<std::pair<std::string, std::string>> series_labels(std::string_view metrics,
                                                               std::string_view name);

// One of them: block_size of vllm:cache_config_info{block_size="16",...}.
std::optional<std::string> series_label(std::string_view metrics, std::string_view name,
                                        std::string_view label);

}  // namespace bench
