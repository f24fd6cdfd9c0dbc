#pragma once

#include <functional>
#include <string>

#include "runners/http/dialect.h"
#include "runners/http/http_client.h"
#include "runners/http/load_plan.h"

namespace bench {

// What is asked, in every request alike but for its prompt.
struct LoadTarget {
  HttpEndpoint endpoint;
  const Dialect* dialect = nullptr;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  // The body of the request with that serial number. Called from other threads, ahead of use.
  std::function<std::string(std::int64_t serial)> body;
};

// What the client itself did.
struct LoadOutcome {
  Seconds epoch{0};  // monotonic: the zero of the records' times
  Seconds wall{0};
  Seconds cpu{0};               // of the event loop threads
  std::int64_t body_waits = 0;  // requests that had to wait for their prompt
  std::int64_t threads = 1;
};

// The part of a plan that one of several processes plays, all of the same plan.
struct LoadPart {
  std::int64_t index = 0;
  std::int64_t count = 1;
  Seconds epoch{0};  // monotonic, in the future: when all begin; 0: at once
};

// Plays the plan, or this process's part of it. Each record is handed over as its request ends, on
// one of the client's threads, one at a time.
LoadOutcome run_load(const LoadPlan& plan, const LoadTarget& target,
                     const std::function<void(RequestRecord)>& on_record,
                     const LoadPart& part = {});

}  // namespace bench
