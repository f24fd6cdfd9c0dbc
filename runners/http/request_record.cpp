#include "runners/http/request_record.h"

#include <array>

namespace bench {

std::string_view to_string(CountSource source) {
  constexpr std::array<std::string_view, kCountSources> kNames = {"none",   "usage",   "ids",
                                                                  "engine", "assumed", "limit"};
  return kNames.at(static_cast<std::size_t>(source));
}

std::string_view to_string(Failure failure) {
  constexpr std::array<std::string_view, kFailures> kNames = {
      "none",    "refused", "http_status", "error_event", "truncated", "stalled",
      "timeout", "short",   "empty",       "protocol",    "reset"};
  return kNames.at(static_cast<std::size_t>(failure));
}

void RequestRecord::note_anomaly(std::string_view words) {
  if (anomalies++ == 0) anomaly = words.substr(0, 256);
}

}  // namespace bench
