// The figures of tests/trace/shipped, as Python's json module adds them up.
#include <gtest/gtest.h>

#include "results/trace/analysis.h"
#include "tests/trace/traces.h"

namespace bench {
namespace {

struct Facts {
  const char* name;
  std::int64_t kernels;
  double total_us;
  std::int64_t outside;
  int steps;
};

class Shipped : public testing::TestWithParam<Facts> {};

TEST_P(Shipped, AddsUpToTheProfilersOwnTotals) {
  const TraceAnalysis a = analyse(read_trace(shipped(GetParam().name)), {});
  double total = 0;
  for (const CategoryTotal& category : a.categories) total += category.total_s;
  EXPECT_EQ(a.kernels, GetParam().kernels);
  EXPECT_NEAR(total * 1e6, GetParam().total_us, 0.05);
  EXPECT_EQ(a.outside, GetParam().outside);
  EXPECT_EQ(a.step_count(), GetParam().steps);
  EXPECT_EQ(a.layers.count, 12);
  EXPECT_EQ(a.method, "ProfilerStep ranges");
  EXPECT_LT(a.of(Category::other).total_s, 0.05 * total);
  EXPECT_EQ(a.device_name, "NVIDIA H200");
  EXPECT_EQ(a.damage, "");
}

INSTANTIATE_TEST_SUITE_P(Traces, Shipped,
                         testing::Values(Facts{"cast_eager", 1182, 51579.4, 126, 4},
                                         Facts{"repaired_eager", 1104, 5260.2, 0, 4},
                                         Facts{"cast_graph", 1320, 58332.0, 264, 4},
                                         Facts{"repaired_graph", 1338, 6422.3, 234, 4},
                                         Facts{"cast_eager_stacks", 654, 28285.4, 126, 2}),
                         [](const auto& test) { return std::string(test.param.name); });

class PoolCast : public testing::TestWithParam<const char*> {};

TEST_P(PoolCast, IsFoundToTheDigit) {
  const TraceAnalysis a = analyse(read_trace(shipped(GetParam())), {});
  ASSERT_EQ(a.waste.size(), 1u);
  const Waste& w = a.waste.front();
  EXPECT_EQ(w.pool_tokens, 495552);
  EXPECT_EQ(w.width, 576);
  EXPECT_EQ(w.layers, 12);
  EXPECT_EQ(w.from, "FP8");
  EXPECT_EQ(w.to, "BF16");
  EXPECT_EQ(w.read_bytes + w.written_bytes, 856313856);           // 495,552 x 576 x 3
  EXPECT_EQ(w.bytes_a_step(), 12 * 856313856.0);                  // 10.28 GB
  EXPECT_EQ((w.read_bytes + w.written_bytes) * 78, 66792480768);  // the incident's 66.8 GB
  EXPECT_EQ(w.active_tokens, 4096);
  EXPECT_DOUBLE_EQ(w.amplification(), 495552.0 / 4096 * 3);
  EXPECT_NEAR(w.seconds, 10.39e-3, 0.02e-3);
  EXPECT_NEAR(w.share, 0.88, 0.02);
  EXPECT_EQ(w.inferred, std::string(GetParam()) == "cast_graph");
}

INSTANTIATE_TEST_SUITE_P(Traces, PoolCast,
                         testing::Values("cast_eager", "cast_graph", "cast_eager_stacks"),
                         [](const auto& test) { return std::string(test.param); });

TEST(Repaired, GivesNoAlarm) {
  EXPECT_TRUE(analyse(read_trace(shipped("repaired_eager")), {}).waste.empty());
  EXPECT_TRUE(analyse(read_trace(shipped("repaired_graph")), {}).waste.empty());
}

// What is inferred in a graph replay is what the eager trace of the same loop records.
TEST(Inferred, CountsAgreeWithRecordedShapes) {
  const Trace trace = read_trace(shipped("cast_eager"));
  const Classes classes = classify(trace, trace.activities);
  int compared = 0;
  for (const KernelClass& c : classes.all) {
    const std::string& kernel = trace.names[c.name];
    if (c.op == kNone || elements_a_thread(kernel, true) == 0 || c.work.elements == 0) continue;
    const Work inferred = work_of({.kernel = kernel, .shape = trace.shapes[c.shape]});
    EXPECT_GE(inferred.elements, c.work.elements) << kernel;
    EXPECT_LE(inferred.elements - inferred.slack, c.work.elements) << kernel;
    ++compared;
  }
  EXPECT_EQ(compared, 8);
}

}  // namespace
}  // namespace bench
