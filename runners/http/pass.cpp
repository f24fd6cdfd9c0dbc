#include "runners/http/pass.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "harness/error.h"
#include "harness/format.h"
#include "runners/http/asking.h"
#include "runners/http/clock.h"
#include "runners/http/clock_offset.h"
#include "runners/http/credentials.h"
#include "runners/http/record_codec.h"
#include "runners/http/server_words.h"

namespace bench {
namespace {

constexpr std::int64_t kTrialSerial = -1;  // prompts that no measured request has
constexpr std::int64_t kFewWords = 64;
constexpr std::int64_t kManyWords = 256;

LoadTarget target_of(const PreparedServer& prepared, const PromptSpec& spec,
                     std::int64_t prompt_tokens, std::int64_t output_tokens) {
  LoadTarget target;
  target.endpoint = prepared.endpoint;
  target.dialect = prepared.server.dialect;
  target.prompt_tokens = prompt_tokens;
  target.output_tokens = output_tokens;
  target.body = [server = prepared.server, spec, output_tokens](std::int64_t serial) {
    return write_body(server, spec, output_tokens, serial);
  };
  return target;
}

RequestRecord try_once(const PreparedServer& prepared, const PromptSpec& spec, Seconds timeout) {
  LoadTarget target = target_of(prepared, spec, spec.tokens, 2);
  target.body = [&prepared, spec](std::int64_t) {
    return write_body(prepared.server, spec, 2, kTrialSerial);
  };
  LoadPlan plan;
  plan.requests = 1;
  plan.request_timeout = plan.stall_timeout = timeout;
  RequestRecord answer;
  run_load(plan, target, [&](RequestRecord record) { answer = std::move(record); });
  return answer;
}

// A server may end early where the dialect cannot forbid it, or hold the text of two tokens back
// because it is no UTF-8 (and then tell no count): it generates, and that is asked here.
bool generates(const RequestRecord& record) {
  const bool made_them = record.output_got > 0 || record.finish_reason == kLimitReason;
  const bool hidden = record.failure == Failure::empty && made_them;
  return record.failure == Failure::none || record.failure == Failure::short_count || hidden;
}

// Returns the answer that was the proof.
RequestRecord choose_dialect(PreparedServer& prepared, const Parameters& parameters,
                             std::uint64_t seed) {
  std::vector<std::string> names = {prepared.server.dialect->name};
  if (parameters.engine == "auto") names = prepared.server.engine->dialects;
  std::vector<std::string> reasons;
  for (const std::string& name : names) {
    prepared.server.dialect = Registry<Dialect>::find(name);
    const PromptSpec spec =
        spec_of(prepared.server, seed, std::min<std::int64_t>(parameters.context, 8));
    RequestRecord record = try_once(prepared, spec, Seconds(parameters.request_timeout_s));
    if (generates(record)) return record;
    reasons.push_back(
        format("{} {}: {}", name, to_string(record.failure), one_line(record.error, 300)));
  }
  fail(format("{} does not generate: {}", prepared.endpoint.url, join(reasons, "; ")));
}

std::int64_t count_words(const PreparedServer& prepared, std::uint64_t seed, std::int64_t words,
                         Seconds timeout) {
  const PromptSpec spec = spec_of(prepared.server, seed, words);
  const std::int64_t count = try_once(prepared, spec, timeout).prompt_got;
  if (count != kUnknown) return count;
  return ask_whole(prepared.endpoint, prepared.server, spec, 1, timeout).prompt_tokens;
}

// Whether a finish reason of this server's, which counts no token of a stream, says the count:
// whole answers of the case's own lengths had as many tokens as were asked, and ended so.
// llama-cpp-python goes past the limit inside a character, once in six answers of random bytes: one
// is no proof.
void prove_the_limit(PreparedServer& prepared, const Parameters& parameters, std::uint64_t seed) {
  constexpr std::uint64_t kAnswers = 3;
  const bool by_ids = prepared.server.dialect->prompt == PromptForm::ids;
  for (std::uint64_t i = 0; i < kAnswers; ++i) {
    const PromptSpec spec =
        spec_of(prepared.server, seed + i, by_ids ? parameters.context : prepared.words);
    const WholeCounts counts =
        ask_whole(prepared.endpoint, prepared.server, spec, parameters.output_tokens,
                  Seconds(parameters.request_timeout_s));
    if (counts.output_tokens == kUnknown) return;
    if (!counts.ended_by_limit) continue;  // shows nothing
    if (counts.output_tokens != parameters.output_tokens) {
      prepared.limit_is_the_count = false;
      prepared.limit_refuted = format("a whole answer of {} tokens had {}",
                                      parameters.output_tokens, counts.output_tokens);
      return;
    }
    prepared.limit_is_the_count = true;
  }
}

void count_by_limit(RequestRecord& record) {
  const bool whole = record.failure == Failure::none && record.finish_reason == kLimitReason;
  if (!whole || record.output_got != kUnknown) return;
  record.output_got = record.output_asked;
  record.output_source = CountSource::limit;
}

// Reads the server's gauges once a second, beside the load.
class GaugeWatch {
 public:
  GaugeWatch(const HttpEndpoint& endpoint, const Engine& engine) {
    if (engine.series.running.empty()) return;
    thread_ = std::thread([this, endpoint, &engine] {
      HttpFetch control(endpoint);
      std::unique_lock lock(mutex_);
      while (!wake_.wait_for(lock, std::chrono::seconds(1), [this] { return stopping_; })) {
        lock.unlock();
        const ServerCounters counters = scrape(control, engine);
        lock.lock();
        running_ = std::max(running_, counters.running.value_or(0));
        waiting_ = std::max(waiting_, counters.waiting.value_or(0));
      }
    });
  }
  ~GaugeWatch() { stop(); }
  GaugeWatch(const GaugeWatch&) = delete;
  GaugeWatch& operator=(const GaugeWatch&) = delete;

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] double running() const { return running_; }
  [[nodiscard]] double waiting() const { return waiting_; }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  double running_ = 0;
  double waiting_ = 0;
  std::thread thread_;
};

LoadPlan plan_of(const Parameters& parameters, std::uint64_t seed) {
  LoadPlan plan;
  plan.concurrency = parameters.concurrency;
  plan.rate_per_s = parameters.request_rate_per_s;
  plan.arrival = parameters.arrival;
  plan.requests = parameters.requests;
  plan.duration = Seconds(parameters.duration_s);
  plan.warm_up = Seconds(parameters.warm_up_s);
  plan.ramp = Seconds(parameters.ramp_s);
  plan.request_timeout = Seconds(parameters.request_timeout_s);
  plan.stall_timeout = Seconds(parameters.stall_timeout_s);
  plan.seed = seed;
  if (plan.requests == 0 && plan.duration <= Seconds{0}) {
    fail_usage("requests and duration_s are both 0: give one of them");
  }
  return plan;
}

// Engines publish their counters some steps late: asks again until they stand still.
ServerCounters settled_counters(HttpFetch& control, const Engine& engine) {
  constexpr int kTries = 8;
  ServerCounters counters = scrape(control, engine);
  for (int i = 0; i < kTries && counters.output_tokens; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    const ServerCounters next = scrape(control, engine);
    const bool still = next.output_tokens == counters.output_tokens;
    counters = next;
    if (still) break;
  }
  return counters;
}

// When all processes begin, in this one's clock: the same moment, within the clocks' uncertainty.
LoadPart begin_together(PassFacts& facts, Hosts& hosts) {
  if (hosts.count() == 1) return {};
  constexpr Seconds kAhead{0.1};  // for the word to get around
  const ClockOffset clock = measure_clock_offset(hosts);
  const double mine[] = {(monotonic_now() + kAhead).count(), clock.uncertainty.count()};
  const auto all = hosts.exchange({reinterpret_cast<const char*>(mine), sizeof mine});
  double start = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    double said[2] = {};
    std::memcpy(said, all[i].data(), sizeof said);
    if (i == 0) start = said[0];
    facts.clock_uncertainty = std::max(facts.clock_uncertainty, Seconds(said[1]));
  }
  return {.index = hosts.index(), .count = hosts.count(), .epoch = Seconds(start) + clock.offset};
}

// Process 0 is told everyone's requests. Their times count from the common beginning.
void gather(PassFacts& facts, const std::function<void(const RequestRecord&)>& on_end,
            Hosts& hosts) {
  if (hosts.count() == 1) return;
  std::string mine = format("{} {} ", facts.outcome.cpu.count(), facts.outcome.body_waits);
  if (hosts.index() > 0) {
    for (const RequestRecord& record : facts.records) mine += encode(record);
  }
  const auto all = hosts.exchange(std::move(mine));
  facts.outcome.threads *= hosts.count();
  for (std::size_t i = 1; i < all.size() && hosts.index() == 0; ++i) {
    const auto first = all[i].find(' ');
    const auto second = all[i].find(' ', first + 1);
    facts.outcome.cpu += Seconds(std::stod(all[i].substr(0, first)));
    facts.outcome.body_waits += std::stoll(all[i].substr(first + 1, second - first - 1));
    for (RequestRecord& record : decode_records(std::string_view(all[i]).substr(second + 1))) {
      on_end(record);
      facts.records.push_back(std::move(record));
    }
  }
}

}  // namespace

std::string PreparedServer::description() const {
  std::string engine = server.engine->name;
  if (!server.version.empty()) engine += " " + server.version;
  return one_line(format("{} ({}), dialect {}, model '{}'", engine, server.found_by,
                         server.dialect->name, server.model));
}

PreparedServer prepare(const Parameters& parameters, std::uint64_t seed) {
  PreparedServer prepared;
  prepared.endpoint = endpoint_of(parameters);
  HttpFetch control(prepared.endpoint);
  prepared.server = recognise_server(control, parameters.engine, parameters.served_model);
  const RequestRecord first = choose_dialect(prepared, parameters, seed);
  if (prepared.server.dialect->prompt == PromptForm::text) {
    const Seconds timeout(parameters.request_timeout_s);
    const std::int64_t few = count_words(prepared, seed, kFewWords, timeout);
    const std::int64_t many = count_words(prepared, seed + 1, kManyWords, timeout);
    prepared.words = words_for(parameters.context, kFewWords, few, kManyWords, many);
  }
  if (first.output_got == kUnknown) prove_the_limit(prepared, parameters, seed);
  return prepared;
}

PassFacts run_pass(const PreparedServer& prepared, const Parameters& parameters, std::uint64_t seed,
                   const std::function<void(const RequestRecord&)>& on_end, Hosts& hosts) {
  const LiveServer& server = prepared.server;
  const bool by_ids = server.dialect->prompt == PromptForm::ids;
  PromptSpec spec = spec_of(server, seed, by_ids ? parameters.context : prepared.words);
  spec.shared_tokens = std::llround(parameters.cached_fraction * static_cast<double>(spec.tokens));
  HttpFetch control(prepared.endpoint);
  PassFacts facts;
  facts.plan = plan_of(parameters, seed);
  facts.exact_prompts = by_ids;
  facts.cold = parameters.cached_fraction <= 0;
  facts.gpus = parameters.server_gpus;
  facts.pool_tokens = server.pool_tokens;
  facts.processes = hosts.count();
  facts.limit_refuted = prepared.limit_refuted;
  const bool leads = hosts.index() == 0;
  if (parameters.flush_cache == FlushCache::before_pass && leads) {
    facts.flush = flush_cache(control, *server.engine);
  }
  if (!facts.cold) try_once(prepared, spec, facts.plan.request_timeout);  // fills the cache
  const LoadTarget target = target_of(prepared, spec, parameters.context, parameters.output_tokens);
  facts.before = settled_counters(control, *server.engine);
  GaugeWatch gauges(prepared.endpoint, *server.engine);
  const LoadPart part = begin_together(facts, hosts);
  facts.outcome = run_load(
      facts.plan, target,
      [&](RequestRecord record) {
        if (prepared.limit_is_the_count) count_by_limit(record);
        on_end(record);
        facts.records.push_back(std::move(record));
      },
      part);
  gather(facts, on_end, hosts);
  gauges.stop();
  facts.peak_running = gauges.running();
  facts.peak_waiting = gauges.waiting();
  facts.after = settled_counters(control, *server.engine);
  return facts;
}

}  // namespace bench
