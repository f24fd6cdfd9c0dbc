#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/result.h"
#include "runners/http/live_server.h"
#include "runners/http/load.h"
#include "runners/http/self_test.h"

namespace bench {

// All that one pass over a server gave.
struct PassFacts {
  LoadPlan plan;
  LoadOutcome outcome;
  std::vector<RequestRecord> records;  // warm-up and measured
  bool exact_prompts = true;           // sent as ids: the server must count what was asked
  bool cold = true;                    // no prompt token may come from a cache
  std::int64_t gpus = 0;               // of the server; 0: unknown
  std::optional<std::int64_t> pool_tokens;
  ServerCounters before;
  ServerCounters after;
  double peak_running = 0;  // by the server's gauges, seen during the pass
  double peak_waiting = 0;
  std::optional<ClientCeiling> ceiling;
  std::int64_t processes = 1;    // that shared the load out
  Seconds clock_uncertainty{0};  // of the worst of their clocks, against process 0's
  std::string flush;             // what the server answered to it; empty: not asked
  std::string limit_refuted;     // why a finish reason is no count; empty: not found so
};

// Judges the pass and computes its metrics (design 5): status, reason, samples (TPOT of each
// measured request) and metrics of `measurement`. Pure.
void judge(const PassFacts& facts, Measurement& measurement);

}  // namespace bench
