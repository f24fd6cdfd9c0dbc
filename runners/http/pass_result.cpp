#include "runners/http/pass_result.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "harness/format.h"
#include "harness/statistics.h"
#include "runners/http/request_metrics.h"
#include "runners/http/server_words.h"

namespace bench {
namespace {

constexpr double kMostFailed = 0.01;     // share of the measured requests
constexpr double kReconciled = 0.01;     // between the server's counters and ours
constexpr double kSameClock = 0.02;      // between the server's TPOT and ours
constexpr double kMostOver = 0.01;       // of the tokens asked, by a request
constexpr double kMostTextError = 0.05;  // of the length of a prompt of text
constexpr double kClientBound = 0.5;     // of the ceiling, in token events
constexpr double kBusyClient = 0.8;      // of a core, by an event loop

std::string number_of(std::int64_t n, std::string_view one, std::string_view several) {
  return format("{} {}", n, n == 1 ? one : several);
}

// The measured requests that succeeded, and the figures of each.
struct Sample {
  std::vector<const RequestRecord*> good;
  std::vector<double> ttft, tpot, itl, e2e, late;
  std::map<Failure, std::int64_t> failed;
  std::int64_t measured = 0;
  std::int64_t uncounted = 0;  // of the good ones: no count of the output,
  std::int64_t by_limit = 0;   // one that the finish reason says,
  std::int64_t unknown_deltas = 0;
  std::int64_t unknown_prompts = 0;

  explicit Sample(const PassFacts& facts) {
    for (const RequestRecord& record : facts.records) {
      if (record.phase != Phase::measured) continue;
      ++measured;
      if (record.sent >= Seconds{0}) late.push_back((record.sent - record.due).count());
      if (record.failure != Failure::none) {
        ++failed[record.failure];
        continue;
      }
      good.push_back(&record);
      if (const auto time = bench::ttft(record)) ttft.push_back(time->count());
      if (const auto time = bench::e2e(record)) e2e.push_back(time->count());
      if (const auto time = bench::tpot(record)) tpot.push_back(time->count());
      const std::vector<double> gaps = bench::itl(record);
      itl.insert(itl.end(), gaps.begin(), gaps.end());
      uncounted += record.output_got == kUnknown ? 1 : 0;
      by_limit += record.output_source == CountSource::limit ? 1 : 0;
      unknown_deltas += deltas_are_known(record) ? 0 : 1;
      unknown_prompts += record.prompt_got == kUnknown ? 1 : 0;
    }
  }
  [[nodiscard]] std::int64_t failures() const {
    return measured - static_cast<std::int64_t>(good.size());
  }
};

void add(Measurement& m, const std::string& name, double value) {
  if (std::isfinite(value)) m.metrics.push_back({name, value});
}

// name_s (median), name_mean_s, name_p95_s, name_p99_s
void add_times(Measurement& m, const std::string& name, const std::vector<double>& values,
               bool with_mean = true) {
  if (values.empty()) return;
  add(m, name + "_s", median(values));
  if (with_mean) add(m, name + "_mean_s", mean(values));
  add(m, name + "_p95_s", percentile(values, 0.95));
  add(m, name + "_p99_s", percentile(values, 0.99));
}

void add_throughput(const PassFacts& facts, double tokens_per_s, Measurement& m) {
  add(m, "output_tokens_per_s", tokens_per_s);
  if (facts.gpus == 0) return;
  add(m, "output_tokens_per_s_per_gpu", tokens_per_s / static_cast<double>(facts.gpus));
}

void add_metrics(const PassFacts& facts, const Sample& sample, Measurement& m) {
  add_times(m, "tpot", sample.tpot);
  if (!sample.tpot.empty()) add(m, "tokens_per_s", 1 / median(sample.tpot));
  add_times(m, "ttft", sample.ttft);
  add_times(m, "itl", sample.itl, false);
  add_times(m, "e2e", sample.e2e);
  const Window window = steady_window(facts.records, facts.plan.warm_up_end());
  if (window.length() > Seconds{0}) {
    const double seconds = window.length().count();
    add(m, "steady_window_s", seconds);
    if (sample.uncounted == 0)
      add_throughput(facts, tokens_within(facts.records, window) / seconds, m);
    add(m, "requests_per_s",
        static_cast<double>(requests_ended_within(facts.records, window)) / seconds);
    add(m, "achieved_concurrency", requests_in_flight(facts.records, window));
  }
  double output = 0;
  double input = 0;
  double cached = 0;
  for (const RequestRecord* record : sample.good) {
    output += static_cast<double>(std::max<std::int64_t>(record->output_got, 0));
    input += static_cast<double>(std::max<std::int64_t>(record->prompt_got, 0));
    cached += static_cast<double>(std::max<std::int64_t>(record->cached, 0));
  }
  add(m, "requests", static_cast<double>(sample.measured));
  add(m, "failed_requests", static_cast<double>(sample.failures()));
  if (sample.uncounted == 0) add(m, "output_tokens", output);
  if (sample.unknown_prompts == 0) add(m, "input_tokens", input);
  if (input > 0) add(m, "cached_share", cached / input);
  if (facts.plan.open_loop() && !sample.late.empty())
    add(m, "late_p99_s", percentile(sample.late, 0.99));
  if (facts.pool_tokens) add(m, "server_pool_tokens", static_cast<double>(*facts.pool_tokens));
}

// What speaks against the pass (the first is its reason), and what has to be said beside it.
class Verdict {
 public:
  void against(Status status, std::string reason) {
    if (status_ == Status::ok) {
      status_ = status;
      reasons_.insert(reasons_.begin(), std::move(reason));
    } else {
      reasons_.push_back(std::move(reason));
    }
  }
  void note(std::string words) { reasons_.push_back(std::move(words)); }
  void write(Measurement& m) const {
    m.status = status_;
    m.reason = format("{}", join(reasons_, "; "));
  }

 private:
  Status status_ = Status::ok;
  std::vector<std::string> reasons_;
};

void judge_failures(const PassFacts& facts, const Sample& sample, Verdict& verdict) {
  if (sample.measured == 0) return verdict.against(Status::failed, "no request was measured");
  if (sample.failed.empty()) return;
  std::vector<std::string> classes;
  for (const auto& [failure, count] : sample.failed) {
    const auto first =
        std::ranges::find_if(facts.records, [kind = failure](const RequestRecord& r) {
          return r.phase == Phase::measured && r.failure == kind;
        });
    classes.push_back(format("{} {} ({})", count, to_string(failure), one_line(first->error, 200)));
  }
  const std::string words =
      format("{} of {} failed: {}", sample.failures(),
             number_of(sample.measured, "request", "requests"), join(classes, ", "));
  const auto failed = static_cast<double>(sample.failures());
  if (failed > kMostFailed * static_cast<double>(sample.measured)) {
    verdict.against(Status::failed, words);
  } else {
    verdict.note(words);
  }
}

void say_who_counted(const PassFacts& facts, const Sample& sample, Verdict& verdict) {
  if (sample.by_limit > 0) {
    verdict.note(
        "the output tokens are those asked, by the finish reason 'length', for the streams have no "
        "counts (whole answers of these lengths had, and ended so)");
  }
  if (sample.uncounted > 0) {
    verdict.note(format("the server does not count the output tokens of {}",
                        number_of(sample.uncounted, "request", "requests")));
    if (!facts.limit_refuted.empty()) {
      verdict.note("the finish reason 'length' is no count either: " + facts.limit_refuted);
    }
  }
  if (sample.unknown_deltas > sample.uncounted) {
    verdict.note("no ITL where chunks are fewer than tokens");
  }
  if (sample.unknown_prompts > 0) verdict.note("the server does not count the prompts' tokens");
}

void judge_counts(const PassFacts& facts, const Sample& sample, Verdict& verdict) {
  std::int64_t wrong_prompts = 0;
  std::int64_t over = 0;
  const RequestRecord* longest = nullptr;
  const RequestRecord* example = nullptr;
  std::map<std::string, std::int64_t> without_tpot;  // by reason
  for (const RequestRecord* record : sample.good) {
    if (const std::string why = tpot_missing(*record); !why.empty()) ++without_tpot[why];
    if (record->output_got > record->output_asked) ++over;
    if (longest == nullptr || record->output_got > longest->output_got) longest = record;
    if (record->prompt_got == kUnknown) continue;
    const auto off = static_cast<double>(std::abs(record->prompt_got - record->prompt_asked));
    const double most =
        facts.exact_prompts ? 0 : kMostTextError * static_cast<double>(record->prompt_asked);
    if (off <= most) continue;
    ++wrong_prompts;
    example = record;
  }
  if (wrong_prompts > 0) {
    verdict.against(Status::invalid,
                    format("{} not as long as asked ({} tokens, the server counted {})",
                           number_of(wrong_prompts, "prompt was", "prompts were"),
                           example->prompt_asked, example->prompt_got));
  }
  if (over > 0) {
    const std::string words =
        format("{} gave more tokens than asked ({}, the server counted {})",
               number_of(over, "request", "requests"), longest->output_asked, longest->output_got);
    const auto asked = static_cast<double>(longest->output_asked);
    if (static_cast<double>(longest->output_got) > (1 + kMostOver) * asked) {
      verdict.against(Status::invalid, words);
    } else {
      verdict.note(words);
    }
  }
  say_who_counted(facts, sample, verdict);
  for (const auto& [why, count] : without_tpot) {
    if (sample.good.front()->output_asked == 1) break;  // none was wanted
    verdict.note(format("no TPOT of {}: {}", number_of(count, "request", "requests"), why));
  }
}

void judge_cache(const PassFacts& facts, const Sample& sample, Verdict& verdict) {
  const auto told =
      std::ranges::count_if(sample.good, [](const auto* r) { return r->cached != kUnknown; });
  if (told == 0 && !sample.good.empty())
    return verdict.note("the server does not tell cached tokens");
  const auto hits = std::ranges::count_if(sample.good, [](const auto* r) { return r->cached > 0; });
  if (facts.cold && hits > 0) {
    verdict.against(Status::invalid,
                    format("{} of {} requests of a cold case found tokens in the prefix cache",
                           hits, sample.good.size()));
  }
}

void judge_client(const PassFacts& facts, const Sample& sample, Verdict& verdict) {
  std::int64_t events = 0;
  for (const RequestRecord* record : sample.good)
    events += static_cast<std::int64_t>(record->events.size());
  const LoadOutcome& outcome = facts.outcome;
  const double wall = std::max(outcome.wall.count(), 1e-9);
  const double rate = static_cast<double>(events) / wall;
  const double busy =
      outcome.cpu.count() / wall / static_cast<double>(std::max<std::int64_t>(outcome.threads, 1));
  if (facts.ceiling && rate > kClientBound * facts.ceiling->events_per_s) {
    verdict.against(Status::invalid,
                    format("client bound: {:.0f} events/s of {:.0f} that this client can read",
                           rate, facts.ceiling->events_per_s));
  } else if (busy > kBusyClient) {
    verdict.against(
        Status::invalid,
        format("client bound: its event loop was busy {:.0f} % of the time", busy * 100));
  }
  if (outcome.body_waits > 0)
    verdict.note(format("{} waited for a prompt to be made",
                        number_of(outcome.body_waits, "request", "requests")));
  std::int64_t resent = 0;
  std::int64_t odd = 0;
  std::string first;
  for (const RequestRecord& record : facts.records) {
    resent += record.attempts > 1 ? 1 : 0;
    if (record.anomalies > 0 && odd++ == 0) first = record.anomaly;
  }
  if (resent > 0) {
    verdict.note(format("{} sent again by the transport",
                        number_of(resent, "request was", "requests were")));
  }
  if (odd > 0) {
    verdict.note(format("{} had anomalies, as '{}'", number_of(odd, "stream", "streams"), first));
  }
}

// The server's own clock beside ours, where it tells its time (llama.cpp, Ollama).
void compare_clocks(const Sample& sample, Measurement& m, Verdict& verdict) {
  std::vector<double> theirs, off;
  for (const RequestRecord* record : sample.good) {
    const auto ours = bench::tpot(*record);
    if (!ours || record->server_decode_tokens <= 0 || record->server_decode <= Seconds{0}) continue;
    theirs.push_back(record->server_decode.count() /
                     static_cast<double>(record->server_decode_tokens));
    off.push_back(std::abs(ours->count() / theirs.back() - 1));
  }
  if (theirs.empty()) return;
  add(m, "server_tpot_s", median(theirs));
  add(m, "server_tpot_difference", *std::ranges::max_element(off));
  if (median(off) > kSameClock) {
    verdict.note(
        format("TPOT is {} by the server's own clock", format_seconds(Seconds(median(theirs)))));
  }
}

// The server's counter against what all our requests brought, warm-up and failed ones included.
void reconcile(const PassFacts& facts, Measurement& m, Verdict& verdict) {
  if (!facts.before.output_tokens || !facts.after.output_tokens) {
    return verdict.note("not reconciled: the server has no token counter");
  }
  double ours = 0;
  bool partial = false;
  for (const RequestRecord& record : facts.records) {
    ours += static_cast<double>(std::max<std::int64_t>(record.output_got, 0));
    partial = partial || record.failure != Failure::none || record.output_got == kUnknown;
  }
  const double theirs = *facts.after.output_tokens - *facts.before.output_tokens;
  if (theirs < 0) {
    return verdict.against(
        Status::invalid,
        format("the server's token counter fell from {:.0f} to {:.0f}: was it restarted?",
               *facts.before.output_tokens, *facts.after.output_tokens));
  }
  if (ours <= 0) return;
  add(m, "reconciliation", theirs / ours);
  if (std::abs(theirs / ours - 1) <= kReconciled) return;
  const std::string words =
      format("the server counted {:.0f} output tokens, we {:.0f}", theirs, ours);
  if (partial) {
    verdict.note(words + " (some requests failed or have no count)");
  } else {
    verdict.against(Status::invalid, words + ": it served others too, or its counter is late");
  }
}

void judge_concurrency(const PassFacts& facts, const Measurement& m, Verdict& verdict) {
  const auto achieved = m.metric("achieved_concurrency");
  if (facts.plan.open_loop()) return;
  const auto asked = static_cast<double>(facts.plan.concurrency);
  if (!achieved) {
    verdict.note("no window with all users in flight, so no throughput");
  } else if (*achieved < 0.95 * asked) {
    verdict.note(
        format("{:.1f} requests in flight of {} asked", *achieved, facts.plan.concurrency));
  }
}

}  // namespace

void judge(const PassFacts& facts, Measurement& measurement) {
  const Sample sample(facts);
  Verdict verdict;
  judge_failures(facts, sample, verdict);
  judge_counts(facts, sample, verdict);
  judge_cache(facts, sample, verdict);
  judge_client(facts, sample, verdict);
  measurement.samples_s = sample.tpot;
  add_metrics(facts, sample, measurement);
  compare_clocks(sample, measurement, verdict);
  reconcile(facts, measurement, verdict);
  judge_concurrency(facts, measurement, verdict);
  if (!facts.flush.empty()) verdict.note("cache flush: " + facts.flush);
  if (facts.peak_waiting > 0) {
    verdict.note(format("up to {} waited in the server",
                        number_of(std::llround(facts.peak_waiting), "request", "requests")));
  }
  verdict.write(measurement);
}

}  // namespace bench
