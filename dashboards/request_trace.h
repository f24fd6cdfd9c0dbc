#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "results/result.h"

namespace bench {

// What the charts of a live server need of the requests of one pass; seconds since its start.
struct RequestTrace {
  double sent_s = 0;
  double end_s = 0;  // of the whole response
  bool warm_up = false;
  std::optional<double> ttft_s{};
  std::optional<double> tpot_s{};
  std::string failure{};  // its class; empty: it succeeded
};

struct PassTrace {
  std::vector<RequestTrace> requests{};  // in the order sent; those never sent are left out
  std::vector<double> gaps_s{};          // ITL per token, of the measured requests that succeeded
  double steady_from_s = 0;              // where the asked concurrency is in flight
  double steady_to_s = 0;                // steady_from_s: nowhere
};

// Reads the requests stored with a measurement; none where it has none.
using ReadRequests = std::function<PassTrace(const Measurement&)>;

}  // namespace bench
