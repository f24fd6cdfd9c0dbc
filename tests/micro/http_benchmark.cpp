// What a token event costs the HTTP runner, part by part: compare the rows of one run.
#include <benchmark/benchmark.h>

#include <string>

#include "runners/http/prompts.h"
#include "runners/http/record_codec.h"
#include "runners/http/scripted_server.h"
#include "runners/http/self_test.h"
#include "runners/http/stream_reader.h"

namespace bench {
namespace {

constexpr std::int64_t kTokens = 1000;

// The events of a paced stream without their HTTP chunks.
std::string events() {
  std::string bytes;
  for (const ScriptStep& step : paced_stream(Seconds(0), Seconds(0), kTokens).steps) {
    const std::size_t from = step.bytes.find("data: ");
    const std::size_t to = step.bytes.find("\n\n");
    if (from != std::string::npos) bytes += step.bytes.substr(from, to + 2 - from);
  }
  return bytes;
}

RequestRecord read_all(const std::string& bytes, JsonParser& json) {
  RequestRecord record;
  StreamReader reader(*Registry<Dialect>::find("vllm"), json, record);
  reader.feed(Seconds(1), bytes);
  reader.finish();
  return record;
}

void parse_sse(benchmark::State& state) {
  struct Nobody : SseHandler {
    void on_event(const SseEvent& event) override { benchmark::DoNotOptimize(event.data.data()); }
  } nobody;
  const std::string bytes = events();
  for (auto _ : state) SseParser().feed(bytes, nobody);
  state.SetItemsProcessed(state.iterations() * kTokens);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(parse_sse);

void read_token_events(benchmark::State& state) {
  const std::string bytes = events();
  JsonParser json;
  for (auto _ : state) benchmark::DoNotOptimize(read_all(bytes, json).output_got);
  state.SetItemsProcessed(state.iterations() * kTokens);
}
BENCHMARK(read_token_events);

void encode_record(benchmark::State& state) {
  JsonParser json;
  const RequestRecord record = read_all(events(), json);
  for (auto _ : state) benchmark::DoNotOptimize(encode(record).size());
  state.SetItemsProcessed(state.iterations() * kTokens);
}
BENCHMARK(encode_record);

void write_prompt_of_a_million_ids(benchmark::State& state) {
  const Dialect& dialect = *Registry<Dialect>::find("vllm");
  for (auto _ : state) {
    const auto ids = prompt_ids({.seed = 1, .tokens = 1'000'000}, 0);
    benchmark::DoNotOptimize(dialect.write({.model = "m", .ids = ids}).size());
  }
}
BENCHMARK(write_prompt_of_a_million_ids)->Unit(benchmark::kMillisecond);

// The whole path over the loopback: read, parse, account.
void read_over_the_loopback(benchmark::State& state) {
  ClientCeiling ceiling;
  for (auto _ : state) ceiling = measure_ceiling(state.range(0), 1'000'000, bench::Seconds(10));
  state.counters["events_per_s"] = ceiling.events_per_s;
  state.counters["events_per_cpu_s"] = ceiling.events_per_cpu_s;
}
BENCHMARK(read_over_the_loopback)->Arg(1)->Arg(16)->Iterations(1)->Unit(benchmark::kMillisecond);

// Streams at 100 tokens/s each: what an event costs, and how far its time is off the server's.
void keep_up_with_a_pace(benchmark::State& state) {
  PacedErrors errors;
  for (auto _ : state) errors = measure_paced({.streams = state.range(0)});
  state.counters["cpu_us_per_event"] = errors.cpu_per_event_s * 1e6;
  state.counters["timestamp_p50_us"] = errors.timestamp_p50_s * 1e6;
  state.counters["timestamp_p99_us"] = errors.timestamp_p99_s * 1e6;
  state.counters["ttft_error_us"] = errors.ttft_error_s * 1e6;
  state.counters["tpot_error_%"] = errors.tpot_error * 100;
}
BENCHMARK(keep_up_with_a_pace)
    ->Arg(64)
    ->Arg(1024)
    ->Arg(4096)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bench

BENCHMARK_MAIN();
