#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "harness/hosts.h"
#include "runners/http/pass_result.h"
#include "workloads/parameters.h"

namespace bench {

// A server made ready to be measured: what it is, and how it is spoken to.
struct PreparedServer {
  HttpEndpoint endpoint;
  LiveServer server;
  std::int64_t words = 0;  // of a prompt of text that gives `context` tokens
  // Its streams have no counts, but whole answers have: those that ended by the limit had all
  // tokens that were asked, and none had another number (`limit_refuted`, in words).
  bool limit_is_the_count = false;
  std::string limit_refuted;

  [[nodiscard]] std::string description() const;  // "vllm 0.11 by GET /v1/models, dialect vllm"
};

// Recognises the server and sends it a first small request or two: the proof that it can generate,
// in which dialect, and how many tokens its words are. Throws Error when it cannot.
PreparedServer prepare(const Parameters& parameters, std::uint64_t seed);

// One pass of the load of a case over fresh connections, with the server's counters around it.
// `on_end` hears of each request when it has ended, from one thread at a time. The processes of a
// run share the load out, begin together, and process 0 ends with everyone's records.
PassFacts run_pass(const PreparedServer& prepared, const Parameters& parameters, std::uint64_t seed,
                   const std::function<void(const RequestRecord&)>& on_end, Hosts& hosts);

}  // namespace bench
