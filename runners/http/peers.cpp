#include "runners/http/peers.h"

#include <algorithm>
#include <array>
#include <limits>

#include "harness/statistics.h"
#include "runners/http/request_metrics.h"

namespace bench {
namespace {

// The times of a stream in seconds since the request was sent: what every peer starts from.
struct Stream {
  std::vector<double> choices;  // chunks with `choices`: role, text, finish
  std::vector<double> texts;    // chunks with text
  std::vector<double> tokens;   // tokens of each of those
  double usage = 0;             // the last chunk of choices or usage
  double last_line = 0;         // the last line of all
  double n = 0;

  explicit Stream(const RequestRecord& record)
      : n(static_cast<double>(std::max<std::int64_t>(record.output_got, 1))) {
    for (const StreamEvent& event : record.events) {
      const double at = (event.time - record.start()).count();
      last_line = at;
      if (event.kind == EventKind::done) continue;
      usage = at;
      if (event.kind == EventKind::usage || event.kind == EventKind::other) continue;
      choices.push_back(at);
      if (event.kind != EventKind::text && event.kind != EventKind::reasoning) continue;
      texts.push_back(at);
      tokens.push_back(std::max(event.tokens, 1));
    }
  }
  [[nodiscard]] bool none() const { return texts.empty(); }
  [[nodiscard]] double span() const { return texts.back() - texts.front(); }
  [[nodiscard]] std::optional<double> per_token(double time) const {
    return n > 1 ? std::optional(time / (n - 1)) : std::nullopt;
  }
};

std::vector<double> gaps(const std::vector<double>& times) {
  std::vector<double> result;
  for (std::size_t i = 1; i < times.size(); ++i) result.push_back(times[i] - times[i - 1]);
  return result;
}

std::optional<double> mean_of(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(mean(values));
}

std::optional<double> median_of(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(median(values));
}

// The client of vLLM: the clock starts and runs on any chunk with choices; `end` differs.
PeerRequest chunk_clock(const Stream& s, double end) {
  if (s.choices.empty()) return {};
  PeerRequest r;
  r.ttft_s = s.choices.front();
  r.e2e_s = end;
  r.tpot_s = s.n > 1 ? (end - *r.ttft_s) / (s.n - 1) : 0;
  r.itl_s = gaps(s.choices);
  r.itl_mean_s = mean_of(r.itl_s);
  return r;
}

PeerRequest vllm(const RequestRecord& record) {
  const Stream s(record);
  return chunk_clock(s, s.choices.empty() ? 0 : s.choices.back());
}

PeerRequest inferencex(const RequestRecord& record) {
  const Stream s(record);
  return chunk_clock(s, s.usage);
}

PeerRequest sglang(const RequestRecord& record) {
  const Stream s(record);
  if (s.none()) return {};
  PeerRequest r{.ttft_s = s.texts.front(), .tpot_s = {}, .itl_mean_s = {}, .itl_s = gaps(s.texts)};
  r.e2e_s = s.last_line;
  r.tpot_s = s.per_token(s.last_line - s.texts.front());
  r.itl_mean_s = mean_of(r.itl_s);
  return r;
}

PeerRequest sglang_native(const RequestRecord& record) {
  const Stream s(record);
  PeerRequest r = sglang(record);
  r.itl_s.clear();
  const std::vector<double> chunk_gaps = gaps(s.texts);
  for (std::size_t i = 0; i < chunk_gaps.size(); ++i) {
    const double tokens = s.tokens[i + 1];
    r.itl_s.insert(r.itl_s.end(), static_cast<std::size_t>(tokens), chunk_gaps[i] / tokens);
  }
  r.itl_mean_s = mean_of(r.itl_s);
  return r;
}

// Mean over the request; the first chunk is taken for one token.
PeerRequest per_request_mean(const RequestRecord& record) {
  const Stream s(record);
  if (s.none()) return {};
  PeerRequest r;
  r.ttft_s = s.texts.front();
  r.e2e_s = s.texts.back();
  r.itl_mean_s = s.per_token(s.span());
  return r;
}

PeerRequest guidellm(const RequestRecord& record) {
  PeerRequest r = per_request_mean(record);
  if (r.ttft_s) r.tpot_s = r.e2e_s / Stream(record).n;
  return r;
}

PeerRequest aiperf(const RequestRecord& record) {
  PeerRequest r = per_request_mean(record);
  r.tpot_s = r.itl_mean_s;
  return r;
}

PeerRequest genai_perf(const RequestRecord& record) {
  PeerRequest r = aiperf(record);
  const Stream s(record);
  r.itl_s = gaps(s.texts);
  for (std::size_t i = 0; i < r.itl_s.size(); ++i) r.itl_s[i] /= s.tokens[i + 1];
  return r;
}

PeerRequest inference_perf(const RequestRecord& record) {
  const Stream s(record);
  std::vector<double> arrivals;
  for (std::size_t i = 0; i < s.texts.size(); ++i) {
    arrivals.insert(arrivals.end(), static_cast<std::size_t>(s.tokens[i]), s.texts[i]);
  }
  if (arrivals.size() < 2) return {};
  PeerRequest r;
  r.ttft_s = s.texts.front();
  r.e2e_s = s.last_line;
  r.tpot_s = s.per_token(s.span());
  r.itl_s = gaps(arrivals);
  r.itl_mean_s = mean_of(r.itl_s);
  return r;
}

PeerRequest llmperf(const RequestRecord& record) {
  const Stream s(record);
  if (s.none()) return {};
  PeerRequest r;
  r.ttft_s = s.texts.front();
  r.e2e_s = s.last_line;
  r.itl_mean_s = s.texts.back() / static_cast<double>(s.choices.size());
  return r;
}

PeerRequest hf(const RequestRecord& record) {
  PeerRequest r = per_request_mean(record);
  if (r.ttft_s) r.e2e_s = Stream(record).last_line;
  return r;
}

// Our own rules, for what has no other figures: the requests of a case that was cut off.
PeerRequest ours(const RequestRecord& record) {
  PeerRequest r;
  if (const auto time = ttft(record)) r.ttft_s = time->count();
  if (const auto time = tpot(record)) r.tpot_s = time->count();
  if (const auto time = e2e(record)) r.e2e_s = time->count();
  r.itl_s = itl(record);
  r.itl_mean_s = mean_of(r.itl_s);
  return r;
}

constexpr std::array kPeers = {
    Peer{"bench",
         "TTFT: first token event; TPOT: (last - first token event) / (n - tokens of the first); "
         "ITL: gap / its tokens",
         ours},
    Peer{"vllm",
         "TTFT: first chunk with choices, the role chunk too; TPOT: (last such chunk - TTFT) / "
         "(n - 1); ITL: every gap between such chunks",
         vllm},
    Peer{"inferencex", "as vllm, but the usage chunk ends the request", inferencex},
    Peer{"sglang",
         "TTFT: first text; TPOT: (last line, usage and [DONE] included - TTFT) / (n - 1); ITL: "
         "every gap between texts",
         sglang},
    Peer{"sglang-native",
         "as sglang, but ITL is gap / tokens of the later chunk, repeated that often",
         sglang_native},
    Peer{"guidellm", "TPOT: last text / n, so TTFT is in it; ITL: (last - first text) / (n - 1)",
         guidellm},
    Peer{"aiperf", "TPOT and ITL: (last - first text) / (n - 1), one mean a request", aiperf},
    Peer{"genai-perf", "as aiperf; its chunked ITL is gap / tokens of the later chunk", genai_perf},
    Peer{"inference-perf",
         "TPOT: (last - first text) / (n - 1); ITL: every token has its chunk's arrival time, so "
         "k tokens give k - 1 zeros",
         inference_perf},
    Peer{"llmperf", "no TPOT; ITL: last text / chunks, role and finish included", llmperf},
    Peer{"hf", "ITL: (last - first text) / (n - 1); the request ends with [DONE]", hf},
};

}  // namespace

std::span<const Peer> peers() { return kPeers; }

const Peer* find_peer(std::string_view name) {
  const auto* const it = std::ranges::find(kPeers, name, &Peer::name);
  return it == kPeers.end() ? nullptr : it;
}

PeerSummary as_peer(const Peer& peer, std::span<const RequestRecord> records) {
  PeerSummary summary;
  std::vector<double> ttft, tpot, itl, itl_mean;
  double first = std::numeric_limits<double>::max();
  double last = std::numeric_limits<double>::lowest();
  double tokens = 0;
  for (const RequestRecord& record : records) {
    if (record.phase != Phase::measured || record.failure != Failure::none) continue;
    const PeerRequest r = peer.request(record);
    if (!r.ttft_s) continue;
    ++summary.requests;
    ttft.push_back(*r.ttft_s);
    if (r.tpot_s) tpot.push_back(*r.tpot_s);
    if (r.itl_mean_s) itl_mean.push_back(*r.itl_mean_s);
    itl.insert(itl.end(), r.itl_s.begin(), r.itl_s.end());
    first = std::min(first, record.start().count());
    last = std::max(last, record.start().count() + r.e2e_s);
    tokens += static_cast<double>(std::max<std::int64_t>(record.output_got, 0));
  }
  summary.ttft_s = median_of(ttft);
  summary.tpot_s = median_of(tpot);
  summary.itl_s = median_of(itl.empty() ? itl_mean : itl);
  summary.itl_mean_s = mean_of(itl.empty() ? itl_mean : itl);
  if (last > first) summary.output_tokens_per_s = tokens / (last - first);
  return summary;
}

}  // namespace bench
