#include "harness/app/show_as.h"

#include <vector>

#include "harness/error.h"
#include "harness/format.h"
#include "harness/suggest.h"
#include "harness/units.h"
#include "runners/http/peers.h"
#include "runners/http/record_codec.h"
#include "workloads/case.h"

namespace bench {
namespace {

const Peer& peer_named(const std::string& name) {
  if (const Peer* peer = find_peer(name)) return *peer;
  std::vector<std::string> known;
  for (const Peer& peer : peers()) known.emplace_back(peer.name);
  fail_usage(format("--as: no client '{}'{} (there are: {})", name, suggestion(name, known),
                    join(known, ", ")));
}

std::string time_or_none(const std::optional<double>& seconds) {
  return seconds ? format_seconds(Seconds(*seconds)) : "none";
}

std::string rate_or_none(const std::optional<double>& per_s) {
  return per_s ? format("{:.1f}", *per_s) : "none";
}

std::string line_of(const Unfinished& u, const PeerSummary& theirs) {
  return format(
      "{} {} replicate {}, cut off after {} requests: TTFT {}, TPOT {}, ITL median {} mean {}\n",
      u.workload, u.label, u.replicate, theirs.requests, time_or_none(theirs.ttft_s),
      time_or_none(theirs.tpot_s), time_or_none(theirs.itl_s), time_or_none(theirs.itl_mean_s));
}

std::string line_of(const Measurement& m, const PeerSummary& theirs) {
  return format(
      "{} {} replicate {}: TTFT {} (ours {}), TPOT {} (ours {}), ITL median {} mean {} (ours {}), "
      "output tok/s {} (ours {})\n",
      m.workload, canonical(m.what), m.replicate, time_or_none(theirs.ttft_s),
      time_or_none(m.metric("ttft_s")), time_or_none(theirs.tpot_s),
      time_or_none(m.metric("tpot_s")), time_or_none(theirs.itl_s), time_or_none(theirs.itl_mean_s),
      time_or_none(m.metric("itl_s")), rate_or_none(theirs.output_tokens_per_s),
      rate_or_none(m.metric("output_tokens_per_s")));
}

}  // namespace

std::string show_as(const RunRecord& run, const std::vector<Unfinished>& cut_off,
                    const std::string& client) {
  const Peer& peer = peer_named(client);
  std::string text = format("as {} counts: {}\n", peer.name, peer.rule);
  bool any = false;
  for (const Measurement& m : run.measurements) {
    if (m.requests.empty()) continue;
    any = true;
    text += line_of(m, as_peer(peer, decode_records(m.requests)));
  }
  for (const Unfinished& u : cut_off) {
    any = true;
    text += line_of(u, as_peer(peer, decode_records(u.records)));
  }
  return any ? text : text + "the run has no stored requests of a live server\n";
}

}  // namespace bench
