#include "tests/dashboards/quickstart.h"

namespace bench::testing {
namespace {

constexpr double kCopyBytesPerSecond = 10e9;

Parameters glm5(std::int64_t context, std::int64_t pool_tokens) {
  Parameters p;
  p.model = "glm5";
  p.layers = 2;
  p.heads = 8;
  p.context = context;
  p.pool_tokens = pool_tokens;
  return p;
}

// Stages as the variants declare them (design.md 3), at a fixed share of the copy bandwidth.
std::vector<StageResult> stages_of(const std::string& variant, const Parameters& p) {
  const auto row = static_cast<double>(576 * p.layers);
  const double active = static_cast<double>(p.context) * row;
  const double pool = static_cast<double>(p.pool_tokens) * row;
  std::vector<StageResult> stages;
  const auto add = [&](const char* name, double bytes, double share) {
    stages.push_back({name, bytes / (kCopyBytesPerSecond * share), bytes});
  };
  add("append", row, 0.01);
  if (variant == "full_pool_cast") add("cast", pool * 3, 0.85);
  if (variant == "gather_cast") {
    add("gather", active * 2, 0.6);
    add("cast", active * 3, 0.8);
  }
  add("attention", variant == "native_fp8" ? active : active * 2,
      variant == "native_fp8" ? 0.45 : 0.7);
  return stages;
}

void measure(const Workload& w, const Point& point, Quickstart& run) {
  const double drift[] = {1.0, 1.004, 0.997};  // of the replicates
  for (const std::string& variant : w.variants) {
    const Case what = w.case_of(point, variant);
    for (std::int64_t replicate = 0; replicate < 3; ++replicate) {
      const std::vector<StageResult> stages = stages_of(variant, point.parameters);
      double step = 2e-6;
      for (const StageResult& s : stages) step += s.seconds;
      const double jitter = variant == "native_fp8" && replicate == 1 ? 1.002 : 1.0;
      Measurement m = measured(w, what, replicate, step * drift[replicate] * jitter);
      m.stages = stages;
      if (variant == "inplace_cast") {
        m = {};
        m.what = what;
        m.workload = w.name;
        m.replicate = replicate;
        m.status = Status::incorrect;
        m.negative_control = true;
        m.reason =
            "largest error 0.93 of the output, allowed 0.02 (a negative control: must be wrong)";
      }
      run.measurements.push_back(m);
    }
  }
}

}  // namespace

Workload workload(const std::string& name, const std::vector<std::string>& variants,
                  const std::vector<Parameters>& points, const std::vector<std::string>& axes) {
  Workload w;
  w.name = name;
  w.runner = "kernel";
  w.variants = variants;
  w.baseline = variants.front();
  w.axes = axes;
  for (const Parameters& p : points) w.points.push_back({p, ""});
  return w;
}

Measurement measured(const Workload& workload, const Case& what, std::int64_t replicate,
                     double tpot_s) {
  Measurement m;
  m.what = what;
  m.workload = workload.name;
  m.replicate = replicate;
  m.samples_s.assign(20, tpot_s);
  m.metrics = {{"tpot_s", tpot_s}, {"tokens_per_s", 1 / tpot_s}};
  return m;
}

Quickstart quickstart() {
  const std::vector<std::string> variants{"full_pool_cast", "gather_cast", "native_fp8",
                                          "bf16_pool",      "shadow_bf16", "inplace_cast"};
  const std::vector<std::string> sweep{"full_pool_cast", "gather_cast", "native_fp8"};
  Quickstart run;
  run.copy_bytes_per_s = kCopyBytesPerSecond;
  run.workloads = {
      workload("single_stream", variants,
               {glm5(1024, 495552), glm5(4096, 495552), glm5(16384, 495552)},
               {"context", "pool_tokens"}),
      workload("pool_size", sweep,
               {glm5(4096, 65536), glm5(4096, 131072), glm5(4096, 262144), glm5(4096, 495552)},
               {"context", "pool_tokens"})};
  for (const Workload& w : run.workloads) {
    for (const Point& point : w.points) measure(w, point, run);
  }
  return run;
}

RunReport quickstart_report() {
  Quickstart run = quickstart();
  RunReport report;
  report.run.id = "12";
  report.run.name = "quickstart";
  report.run.started = "2026-11-29 21:00:00 UTC";
  report.run.command = "bench run configs/quickstart.yaml";
  report.run.environment = {{"host", "box"}, {"cpu_model", "2 cores"}};
  report.generated = "2026-11-29 21:10:00 UTC";
  report.workloads = std::move(run.workloads);
  report.measurements = std::move(run.measurements);
  report.copy_bytes_per_s = run.copy_bytes_per_s;
  report.repeat_command = [](const std::string& name, const Case& c) {
    return "bench run configs/quickstart.yaml --only " + name + "/" + c.variant;
  };
  return report;
}

RunReport large_report(std::size_t cases, std::size_t samples) {
  const std::vector<std::string> variants{"full_pool_cast", "gather_cast", "native_fp8",
                                          "bf16_pool", "shadow_bf16"};
  std::vector<Parameters> points;
  for (std::size_t i = 0; i < cases / variants.size(); ++i) {
    Parameters p = glm5(1024 * static_cast<std::int64_t>(1 + i % 10), 495552);
    p.concurrency = static_cast<std::int64_t>(1 + i / 10);
    points.push_back(p);
  }
  RunReport report = quickstart_report();
  report.measurements.clear();
  report.workloads = {workload("sweep", variants, points, {"context", "concurrency"})};
  const Workload& w = report.workloads.front();
  for (const Point& point : w.points) {
    for (const std::string& variant : variants) {
      for (std::int64_t replicate = 0; replicate < w.replicates; ++replicate) {
        Measurement m = measured(w, w.case_of(point, variant), replicate,
                                 1e-3 * static_cast<double>(1 + replicate));
        m.stages = stages_of(variant, point.parameters);
        m.samples_s.clear();
        for (std::size_t i = 0; i < samples / cases / 3; ++i) {
          m.samples_s.push_back(1e-3 + 1e-6 * static_cast<double>(i * 7919 % 101));
        }
        report.measurements.push_back(std::move(m));
      }
    }
  }
  return report;
}

}  // namespace bench::testing
