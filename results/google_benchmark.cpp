#include <algorithm>
#include <ctime>
#include <filesystem>
#include <set>

#include "harness/error.h"
#include "harness/format.h"
#include "results/import.h"
#include "results/import_builder.h"
#include "results/json.h"

namespace bench {
namespace {

// Members of a benchmark that are no counter.
const std::set<std::string> kKnown{"name",
                                   "run_name",
                                   "run_type",
                                   "family_index",
                                   "per_family_instance_index",
                                   "repetitions",
                                   "repetition_index",
                                   "threads",
                                   "iterations",
                                   "real_time",
                                   "cpu_time",
                                   "time_unit",
                                   "error_occurred",
                                   "skipped",
                                   "aggregate_unit"};

// The file's writer puts NaN, Infinity and -Infinity as they are. Outside of texts each becomes
// null, padded to its length so that messages keep their columns.
std::string without_non_finite(std::string_view text) {
  std::string out(text);
  bool in_text = false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] == '\\' && in_text)
      ++i;
    else if (out[i] == '"')
      in_text = !in_text;
    if (in_text) continue;
    for (const std::string_view word :
         {"-Infinity", "Infinity", "-NaN", "-nan", "-inf", "NaN", "nan", "inf"}) {
      if (std::string_view(out).substr(i).starts_with(word)) {
        std::string null = "null" + std::string(std::max<std::size_t>(word.size(), 4) - 4, ' ');
        out.replace(i, word.size(), null);
        i += null.size() - 1;
        break;
      }
    }
  }
  return out;
}

// Dividing by a whole number rounds once: 2.5 us is the double nearest to 2.5e-6.
double units_per_second(const Json& benchmark) {
  const std::string unit = benchmark.text_or("time_unit", "ns");
  if (unit == "ns") return 1e9;
  if (unit == "us") return 1e6;
  if (unit == "ms") return 1e3;
  if (unit == "s") return 1;
  benchmark.at("time_unit").refuse("ns, us, ms or s");
}

// "2026-11-29T21:00:51+00:00"; 0 if it is written in another way.
double unix_time(const std::string& date) {
  std::tm parts{};
  const char* rest = strptime(date.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (rest == nullptr) return 0;
  const double utc = static_cast<double>(timegm(&parts));
  std::tm zone{};
  if (strptime(rest, "%z", &zone) == nullptr) return utc;
  return utc - static_cast<double>(zone.tm_gmtoff);
}

void read_context(const Json& context, RunRecord& run) {
  run.info.host = context.text_or("host_name", run.info.host);
  run.info.argv = context.text_or("executable", "");
  if (!run.info.argv.empty())
    run.info.name = std::filesystem::path(run.info.argv).filename().string();
  if (const double time = unix_time(context.text_or("date", "")); time != 0)
    run.info.started_unix_s = time;
  for (const auto& [name, value] : context.members()) {
    const FactRole role = name == "num_cpus" ? FactRole::machine : FactRole::software;
    if (name == "host_name" || name == "executable" || name == "date") continue;
    if (value.is_text()) run.environment.push_back({name, value.text(), role});
    if (value.is_number()) run.environment.push_back({name, format("{}", value.number()), role});
  }
}

// bytes_per_second -> bytes_per_s: the names of metric_table() where there is one.
std::string metric_name(std::string name) {
  constexpr std::string_view kLong = "_per_second";
  if (name.ends_with(kLong)) name.replace(name.size() - kLong.size(), kLong.size(), "_per_s");
  return name;
}

void add_time(ImportBuilder& builder, Measurement& m, const Json& benchmark,
              const std::string& name) {
  if (const auto time = benchmark.find(name)) {
    m.metrics.push_back({name + "_s", time->number() / units_per_second(benchmark)});
  } else {
    builder.leave_out(name, "is not a finite number");
  }
}

void add_counters(ImportBuilder& builder, Measurement& m, const Json& benchmark) {
  for (const auto& [name, value] : benchmark.members()) {
    if (kKnown.contains(name)) continue;
    if (value.is_null()) builder.leave_out(name, "is not a finite number");
    if (value.is_number()) m.metrics.push_back({metric_name(name), value.number()});
  }
}

void add_benchmark(ImportBuilder& builder, const Json& benchmark, const std::string& note) {
  const std::string name = benchmark.text_or("run_name", benchmark.at("name").text());
  const auto slash = name.find('/');
  Measurement& m = builder.measurement(name, slash == name.npos ? "" : name.substr(slash + 1));
  m.reason = note;
  if (benchmark.find("error_occurred") || benchmark.find("skipped")) {
    m.status = benchmark.find("skipped") ? Status::skipped : Status::failed;
    m.reason = benchmark.text_or("error_message", benchmark.text_or("skip_message", "no message"));
    return;
  }
  add_time(builder, m, benchmark, "real_time");
  add_time(builder, m, benchmark, "cpu_time");
  add_counters(builder, m, benchmark);
}

bool is_aggregate(const Json& benchmark) {
  return benchmark.text_or("run_type", "iteration") == "aggregate";
}

}  // namespace

RunRecord from_google_benchmark(std::string_view text, const std::string& path) {
  const Json json = Json::parse(without_non_finite(text), path);
  ImportBuilder builder(text, path, "google_benchmark");
  read_context(json.at("context"), builder.run());
  const auto benchmarks = json.at("benchmarks").items();
  std::set<std::string> single;  // names with results of their own
  for (const auto& benchmark : benchmarks) {
    if (is_aggregate(benchmark)) continue;
    single.insert(benchmark.text_or("run_name", benchmark.at("name").text()));
    add_benchmark(builder, benchmark, "");
  }
  // --benchmark_report_aggregates_only leaves nothing else to read.
  for (const auto& benchmark : benchmarks) {
    if (!is_aggregate(benchmark) || benchmark.text_or("aggregate_name", "") != "median") continue;
    if (single.contains(benchmark.at("run_name").text())) continue;
    add_benchmark(builder, benchmark,
                  format("the median of {} repetitions", benchmark.count_or("repetitions", 0)));
  }
  if (builder.run().measurements.empty()) fail_usage(path + " holds no benchmark");
  return builder.take();
}

}  // namespace bench
