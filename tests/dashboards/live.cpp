#include "tests/dashboards/live.h"

#include <cmath>

#include "harness/statistics.h"
#include "tests/dashboards/quickstart.h"

namespace bench::testing {
namespace {

constexpr std::int64_t kRequests = 40;  // of each user

// Users who send again when answered; each request takes as long as its number says.
PassTrace trace(std::int64_t users, std::int64_t replicate) {
  PassTrace pass;
  const double load = static_cast<double>(users);
  for (std::int64_t user = 0; user < users; ++user) {
    double now = 0.05 * static_cast<double>(user);
    for (std::int64_t i = 0; i < kRequests; ++i) {
      const double odd = static_cast<double>((i * 7919 + user * 104729 + replicate * 31) % 97) / 97;
      RequestTrace r{.sent_s = now, .warm_up = i < 4};
      r.ttft_s = (0.04 + 0.004 * load) * (1 + odd * odd);
      r.tpot_s = (0.010 + 0.0004 * load) * (1 + 0.1 * odd);
      r.end_s = now + *r.ttft_s + 63 * *r.tpot_s;
      if (user == 1 && i == 20) r = {.sent_s = now, .end_s = now + 0.3, .failure = "reset"};
      for (int gap = 0; gap < 8 && r.failure.empty() && !r.warm_up; ++gap)
        pass.gaps_s.push_back(*r.tpot_s * (gap == 7 ? 2.5 : 0.8));
      now = r.end_s + 0.002;
      pass.requests.push_back(r);
    }
  }
  pass.steady_from_s = 0.05 * load + 0.1;
  pass.steady_to_s = 0.7 * static_cast<double>(kRequests);
  return pass;
}

Measurement live(const Workload& w, const Case& what, std::int64_t replicate) {
  const std::int64_t users = what.parameters.concurrency;
  const PassTrace pass = trace(users, replicate);
  std::vector<double> ttft;
  std::vector<double> tpot;
  for (const RequestTrace& r : pass.requests) {
    if (r.warm_up || !r.failure.empty()) continue;
    ttft.push_back(*r.ttft_s);
    tpot.push_back(*r.tpot_s);
  }
  Measurement m = measured(w, what, replicate, median(tpot));
  m.samples_s = tpot;
  m.requests = "stored";
  const double rate = static_cast<double>(users) / median(tpot);
  m.metrics.insert(m.metrics.end(), {{"output_tokens_per_s", rate},
                                     {"output_tokens_per_s_per_gpu", rate / 8},
                                     {"ttft_s", median(ttft)},
                                     {"ttft_p95_s", percentile(ttft, 0.95)},
                                     {"ttft_p99_s", percentile(ttft, 0.99)},
                                     {"tpot_p95_s", percentile(tpot, 0.95)},
                                     {"tpot_p99_s", percentile(tpot, 0.99)},
                                     {"itl_s", median(pass.gaps_s)},
                                     {"itl_p95_s", percentile(pass.gaps_s, 0.95)},
                                     {"itl_p99_s", percentile(pass.gaps_s, 0.99)}});
  if (users > 1) m.reason = "1 of 144 requests failed: 1 reset";
  return m;
}

}  // namespace

RunReport live_report() {
  std::vector<Parameters> points;
  for (const std::int64_t users : {1, 4, 16}) {
    Parameters p;
    p.concurrency = users;
    p.context = 1024;
    points.push_back(p);
  }
  RunReport report = quickstart_report();
  report.run.name = "live";
  report.copy_bytes_per_s = 0;
  report.measurements.clear();
  report.workloads = {workload("live", {"openai"}, points, {"concurrency", "context"})};
  Workload& w = report.workloads.front();
  w.runner = "http";
  w.baseline.clear();
  for (const Point& point : w.points) {
    for (std::int64_t replicate = 0; replicate < w.replicates; ++replicate)
      report.measurements.push_back(live(w, w.case_of(point, "openai"), replicate));
  }
  report.read_requests = [](const Measurement& m) {
    return m.requests.empty() ? PassTrace{} : trace(m.what.parameters.concurrency, m.replicate);
  };
  return report;
}

}  // namespace bench::testing
