#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>

#include "harness/format.h"
#include "results/trace/trace_export.h"

namespace bench {
namespace {

// The kernel without its parameters and what every name has: words a table has room for.
std::string case_name(const KernelRow& row) {
  std::string name = row.name;
  for (const std::string_view noise :
       {"void ", "at::native::", "(anonymous namespace)::", "c10::"}) {
    for (std::size_t at = name.find(noise); at != std::string::npos; at = name.find(noise)) {
      name.erase(at, noise.size());
    }
  }
  name = name.substr(0, name.find('('));
  if (name.size() > 80) name.resize(80);
  return row.op.empty() ? name : row.op + " " + name;
}

Measurement step_measurement(const TraceAnalysis& a) {
  Measurement m;
  for (const TraceStep& s : a.steps) {
    if (s.kind == a.kind) m.samples_s.push_back(static_cast<double>(s.duration_ns) * 1e-9);
  }
  double bytes = 0;
  for (std::size_t i = 0; i < kCategories; ++i) {
    const CategoryTotal& total = a.categories.at(i);
    bytes += total.bytes;
    if (total.seconds == 0) continue;
    m.stages.push_back({std::string(id_of(static_cast<Category>(i))), total.seconds, total.bytes});
  }
  m.metrics.push_back({"tpot_s", a.step_s});
  if (bytes > 0) m.metrics.push_back({"moved_bytes", bytes});
  return m;
}

void add(RunRecord& run, std::int64_t replicate, const std::string& workload, Measurement m,
         const std::string& variant) {
  m.what = {"trace", variant, {}};
  m.workload = workload;
  m.replicate = replicate;
  const auto planned = std::ranges::find_if(run.plan, [&](const PlannedCase& p) {
    return p.workload == workload && p.what.variant == variant;
  });
  if (planned == run.plan.end()) {
    PlannedCase added;
    added.what = m.what;
    added.workload = workload;
    run.plan.push_back(std::move(added));
  } else {
    planned->replicates = std::max(planned->replicates, replicate + 1);
  }
  run.measurements.push_back(std::move(m));
}

void add_rank(RunRecord& run, std::int64_t replicate, const TraceAnalysis& a) {
  add(run, replicate, "step", step_measurement(a),
      a.kind == StepKind::decode ? "decode" : "prefill");
  for (std::size_t i = 0; i < kCategories; ++i) {
    if (a.categories.at(i).seconds == 0) continue;
    Measurement m;
    m.metrics.push_back({"tpot_s", a.categories.at(i).seconds});
    add(run, replicate, "categories", std::move(m), std::string(id_of(static_cast<Category>(i))));
  }
  std::map<std::string, double> seconds;  // grids of one kernel together
  for (const KernelRow& row : a.rows) seconds[case_name(row)] += row.seconds;
  for (const auto& [name, time] : seconds) {
    Measurement m;
    m.metrics.push_back({"tpot_s", time});
    add(run, replicate, "kernels", std::move(m), name);
  }
}

// 32 hex digits of what was measured.
std::string digest(std::span<const TraceAnalysis> ranks) {
  std::uint64_t low = 0xcbf29ce484222325u;
  std::uint64_t high = 0x84222325cbf29ce4u;
  for (const TraceAnalysis& a : ranks) {
    for (const TraceStep& s : a.steps) {
      for (const std::int64_t value : {s.begin_ns, s.duration_ns, s.busy_ns, a.rank}) {
        low = (low ^ static_cast<std::uint64_t>(value)) * 0x100000001b3u;
        high = (high ^ low) * 0x9e3779b97f4a7c15u;
      }
    }
  }
  return format("{:016x}{:016x}", high, low);
}

}  // namespace

RunRecord trace_run(std::span<const TraceAnalysis> ranks) {
  RunRecord run;
  const TraceAnalysis& first = ranks.front();
  run.info.id = digest(ranks);
  run.info.name = "trace";
  run.info.status = RunStatus::complete;
  run.info.notes = "the trace " + std::filesystem::path(first.path).filename().string();
  run.environment.push_back({"device", first.device_name, FactRole::machine});
  if (!first.device_name.empty())
    run.devices.push_back({.kind = "cuda", .name = first.device_name});
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    add_rank(run, static_cast<std::int64_t>(i), ranks[i]);
  }
  std::ranges::stable_sort(run.measurements, {}, [&](const Measurement& m) {
    return std::ranges::find_if(run.plan,
                                [&](const PlannedCase& p) {
                                  return p.workload == m.workload &&
                                         p.what.variant == m.what.variant;
                                }) -
           run.plan.begin();
  });
  return run;
}

}  // namespace bench
