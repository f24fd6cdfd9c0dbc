#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/http/request_record.h"

namespace bench {

// What another tool would have reported for one request, by its rules.
struct PeerRequest {
  std::optional<double> ttft_s;
  std::optional<double> tpot_s;      // or its name for it
  std::optional<double> itl_mean_s;  // of this request
  std::vector<double> itl_s;         // the samples it pools; empty where it keeps a mean only
  double e2e_s = 0;
};

// Another client's way to count. The formulas were read in its source; each is given in words.
struct Peer {
  std::string_view name;  // "vllm", as in --as
  std::string_view rule;
  PeerRequest (*request)(const RequestRecord& record);
};

std::span<const Peer> peers();
const Peer* find_peer(std::string_view name);  // nullptr: no such

// A whole pass by a peer's rules: medians over its requests (ITL: over its pooled samples, or the
// means where it keeps no more), and its output throughput. Failed requests are left out, as all
// of them do.
struct PeerSummary {
  std::optional<double> ttft_s;
  std::optional<double> tpot_s;
  std::optional<double> itl_s;
  std::optional<double> itl_mean_s;
  std::optional<double> output_tokens_per_s;
  std::int64_t requests = 0;
};
PeerSummary as_peer(const Peer& peer, std::span<const RequestRecord> records);

}  // namespace bench
