#include "dashboards/scaling.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "dashboards/summary.h"
#include "tests/dashboards/quickstart.h"

namespace bench {
namespace {

using testing::measured;
using testing::workload;

// Steps of 1, 2 and 4 GPUs, with the all-reduce's share and the skew of the ranks.
std::vector<ScalingSeries> scaled(Parallel parallel, std::int64_t concurrency,
                                  const std::vector<double>& steps_ms) {
  std::vector<Parameters> points;
  for (const std::int64_t gpus : {1, 2, 4}) {
    Parameters p;
    p.heads = 64;
    p.parallel = parallel;
    p.concurrency = concurrency;
    p.tensor_parallel = parallel == Parallel::tensor ? gpus : 1;
    p.gpus = std::to_string(gpus);
    points.push_back(p);
  }
  const Workload w = workload("gpus", {"native_fp8"}, points, {"gpus", "tensor_parallel"});
  std::vector<Measurement> all;
  for (std::size_t i = 0; i < points.size(); ++i) {
    Measurement m = measured(w, w.case_of(w.points[i], "native_fp8"), 0, steps_ms[i] / 1e3);
    m.metrics.push_back({"ranks", std::stod(points[i].gpus)});
    if (i > 0) m.metrics.push_back({"allreduce_share", 0.25});
    if (i > 0) m.metrics.push_back({"rank_skew", 0.01});
    all.push_back(std::move(m));
  }
  const RunSummary summary = summarize({&w, 1}, all, 0);
  return scaling_of(summary.workloads[0]);
}

TEST(Scaling, OfTensorParallelSharesOneStepsWork) {
  const auto series = scaled(Parallel::tensor, 16, {4, 2, 1.25});
  ASSERT_EQ(series.size(), 1U);
  const std::vector<ScalingRow>& rows = series[0].rows;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[2].ranks, 4);
  EXPECT_DOUBLE_EQ(rows[0].tokens_per_s, 4000);
  EXPECT_DOUBLE_EQ(rows[2].tokens_per_s, 12800);
  EXPECT_DOUBLE_EQ(rows[1].efficiency, 1);    // half the time on two
  EXPECT_DOUBLE_EQ(rows[2].efficiency, 0.8);  // 3.2 x on four
  EXPECT_EQ(rows[0].allreduce_share, std::nullopt);
  EXPECT_EQ(rows[2].allreduce_share, 0.25);
  EXPECT_EQ(rows[2].skew, 0.01);
}

TEST(Scaling, OfReplicasCountsTheRequestsOfAll) {
  const auto series = scaled(Parallel::replica, 16, {4, 4, 5});
  ASSERT_EQ(series.size(), 1U);
  EXPECT_DOUBLE_EQ(series[0].rows[1].tokens_per_s, 8000);
  EXPECT_DOUBLE_EQ(series[0].rows[1].efficiency, 1);
  EXPECT_DOUBLE_EQ(series[0].rows[2].tokens_per_s, 12800);
  EXPECT_DOUBLE_EQ(series[0].rows[2].efficiency, 0.8);
}

}  // namespace
}  // namespace bench
