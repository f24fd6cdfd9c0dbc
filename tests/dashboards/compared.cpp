#include "tests/dashboards/compared.h"

#include "tests/dashboards/quickstart.h"

namespace bench::testing {
namespace {

constexpr std::int64_t kReplicates = 8;

// How far each replicate lies from its case: sixteen values of a few permille, in no order.
double scatter(std::int64_t replicate, std::int64_t run) {
  constexpr double kPermille[] = {0.4,  -1.1, 0.9, -0.2, 1.3, -0.7, 0.1, -0.5,
                                  -0.9, 0.6,  1.0, -1.2, 0.3, -0.4, 0.8, -0.1};
  return 1 + 1e-3 * kPermille[static_cast<std::size_t>((run * 7 + replicate) % 16)];
}

void scale(Measurement& m, double factor) {
  for (StageResult& s : m.stages) s.seconds *= factor;
  for (double& sample : m.samples_s) sample *= factor;
  for (Metric& metric : m.metrics) {
    metric.value = metric.name == "tokens_per_s" ? metric.value / factor : metric.value * factor;
  }
}

// Every case with eight replicates, made of its first one.
void replicate(RunReport& report, std::int64_t run) {
  std::vector<Measurement> all;
  for (const Measurement& m : report.measurements) {
    if (m.replicate != 0) continue;
    for (std::int64_t r = 0; r < kReplicates; ++r) {
      all.push_back(m);
      all.back().replicate = r;
      scale(all.back(), scatter(r, run));
    }
  }
  report.measurements = std::move(all);
  for (Workload& w : report.workloads) w.replicates = kReplicates;
}

void slow_stage(Measurement& m, const std::string& stage, double factor) {
  for (StageResult& s : m.stages) {
    if (s.stage != stage) continue;
    const double more = s.seconds * (factor - 1);
    s.seconds += more;
    for (Metric& metric : m.metrics) {
      if (metric.name == "tpot_s") metric.value += more;
    }
    for (double& sample : m.samples_s) sample += more;
  }
}

bool at_16k(const Measurement& m, const std::string& variant) {
  return m.workload == "single_stream" && m.what.variant == variant &&
         m.what.parameters.context == 16384;
}

void change(RunReport& candidate) {
  std::erase_if(candidate.measurements,
                [](const Measurement& m) { return at_16k(m, "shadow_bf16"); });
  for (Measurement& m : candidate.measurements) {
    if (at_16k(m, "native_fp8")) slow_stage(m, "attention", 1.042);
    if (at_16k(m, "gather_cast")) slow_stage(m, "cast", 0.84);
    if (at_16k(m, "gather_cast")) slow_stage(m, "gather", 0.88);
    if (at_16k(m, "bf16_pool")) scale(m, m.replicate % 2 == 0 ? 1.04 : 0.97);
    if (at_16k(m, "full_pool_cast") && m.replicate == 5) {
      m.status = Status::invalid;
      m.reason = "throttled: hw_thermal_slowdown";
      m.telemetry.throttle_reasons = "hw_thermal_slowdown";
    }
  }
}

}  // namespace

RunRecord record_of(const RunReport& report, std::int64_t number) {
  RunRecord record;
  record.info.number = number;
  record.info.id = std::string(32, static_cast<char>('a' + number % 6));
  record.info.name = report.run.name;
  record.info.status = RunStatus::complete;
  record.info.started_unix_s = 1795986000 + 86400.0 * static_cast<double>(number);
  record.info.host = "box";
  record.environment = report.run.environment;
  for (const Workload& w : report.workloads) {
    for (const Point& point : w.points) {
      for (const std::string& variant : w.variants) {
        record.plan.push_back({.what = w.case_of(point, variant),
                               .workload = w.name,
                               .axes = w.axes,
                               .label = label(point.parameters, w.axes),
                               .is_baseline = variant == w.baseline,
                               .replicates = w.replicates,
                               .skip = point.skip});
      }
    }
  }
  record.measurements = report.measurements;
  for (Measurement& m : record.measurements) m.negative_control = m.what.variant == "inplace_cast";
  return record;
}

CompareReport compare_report() {
  CompareReport report{.baseline = quickstart_report(), .candidate = quickstart_report()};
  report.candidate.generated = "2026-11-30 06:00:00 UTC";
  report.candidate.run.id = "13";
  report.candidate.run.started = "2026-11-30 05:00:00 UTC";
  report.baseline.run.environment.push_back({"driver", "580.1"});
  report.candidate.run.environment.push_back({"driver", "590.2"});
  replicate(report.baseline, 12);
  replicate(report.candidate, 13);
  change(report.candidate);
  report.comparison = compare(record_of(report.baseline, 12), record_of(report.candidate, 13));
  return report;
}

}  // namespace bench::testing
