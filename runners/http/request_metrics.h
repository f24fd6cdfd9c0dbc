#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runners/http/request_record.h"

namespace bench {

// The definitions of design 5, version 1. Each is absent where it cannot be known, never 0.
std::optional<Seconds> ttft(const RequestRecord& record);
std::optional<Seconds> e2e(const RequestRecord& record);
// Needs two token events and a count of the server's: one arrival has no rate, and a guessed count
// gives none.
std::optional<Seconds> tpot(const RequestRecord& record);
// Why there is no TPOT; empty when there is one.
std::string tpot_missing(const RequestRecord& record);

// The gaps between consecutive token events, raw, with the tokens of the later event.
struct TokenGap {
  Seconds gap;
  std::int32_t tokens;
  CountSource source;
};
std::vector<TokenGap> token_gaps(const RequestRecord& record);

// Whether the tokens of each event are the server's own, or one chunk was taken for one token and
// its count says that each was.
bool deltas_are_known(const RequestRecord& record);
// Per-token ITL: each gap / its tokens, in seconds. Empty where the deltas are not known.
std::vector<double> itl(const RequestRecord& record);

// Where the asked concurrency is really in flight. Closed loop: from the last of the users' first
// token events (but not before the warm-up is over) to the first end of a user's last request.
// Open loop: from the first to the last due time. Empty (end <= begin) when there is none.
struct Window {
  Seconds begin{0};
  Seconds end{0};
  [[nodiscard]] Seconds length() const { return end > begin ? end - begin : Seconds{0}; }
};
Window steady_window(std::span<const RequestRecord> records, Seconds warm_up_end);

// Where the deltas are not known the tokens of a request are spread evenly over its events.
double tokens_within(std::span<const RequestRecord> records, const Window& window);
std::int64_t requests_ended_within(std::span<const RequestRecord> records, const Window& window);
// Time-weighted mean of the requests in flight (sent to end) over the window.
double requests_in_flight(std::span<const RequestRecord> records, const Window& window);

}  // namespace bench
