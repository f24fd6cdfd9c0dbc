#include "results/trace/steps.h"

#include <gtest/gtest.h>

#include "results/trace/analysis.h"
#include "tests/trace/traces.h"

namespace bench {
namespace {

Activity run(std::int64_t start, std::int64_t duration, std::uint32_t name, std::int32_t stream = 7,
             std::uint32_t launch = kNone) {
  return {
      .start_ns = start, .duration_ns = duration, .name = name, .launch = launch, .stream = stream};
}

TEST(Steps, CountOverlapOfStreamsOnceAndBlameTheHostForLateLaunches) {
  Trace trace;
  trace.shapes.emplace_back();
  for (const char* name : {"a", "b"}) trace.names.add(name);
  trace.launches = {{.start_ns = 0, .end_ns = 5}, {.start_ns = 130, .end_ns = 140}};
  // Two streams overlap for 50, then nothing until a launch at 140 starts something at 150.
  trace.activities = {run(0, 100, 0, 7, 0), run(50, 60, 1, 8, 0), run(150, 50, 0, 7, 1)};
  const Classes classes = classify(trace, trace.activities);
  StepSplit split{.method = "", .names = {"one"}, .of = {0, 0, 0}};
  const auto steps = measure_steps(trace, classes, trace.activities, split);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].duration_ns, 200);
  EXPECT_EQ(steps[0].busy_ns, 160);
  EXPECT_EQ(steps[0].sum_ns, 210);
  EXPECT_EQ(steps[0].idle_ns(), 40);
  EXPECT_EQ(steps[0].host_ns, 30);  // from 110 to the end of the launch at 140
}

const MadeLaunch kWork{.op = "aten::mm",
                       .dims = "[[1, 8], [8, 8]]",
                       .types = R"(["float", "float"])",
                       .kernel = "gemm"};
const MadeLaunch kNorm{
    .op = "aten::n", .dims = "[[1, 8]]", .types = R"(["float"])", .kernel = "norm"};
const MadeLaunch kSample{
    .op = "aten::s", .dims = "[[1, 8]]", .types = R"(["float"])", .kernel = "argmax"};

TEST(Steps, AreFoundByThePeriodWhereNothingNamesThem) {
  MadeLoop loop{.once = {kSample}, .layer = {kNorm, kWork}, .layers = 6, .steps = 5};
  std::string text = loop.text();
  for (std::size_t at = text.find("ProfilerStep"); at != std::string::npos;
       at = text.find("ProfilerStep", at)) {
    text.replace(at, 12, "nccl:nothing");
  }
  const ScratchTrace file(text);
  const TraceAnalysis a = analyse(read_trace(file.path()), {});
  EXPECT_EQ(a.method, "the period of the kernel sequence, 13 kernels");
  EXPECT_EQ(a.step_count(), 5);
  EXPECT_EQ(a.layers.count, 6);
}

TEST(Steps, AreFoundByGraphLaunches) {
  const Trace trace = [] {
    Trace t = read_trace(shipped("cast_graph"));
    t.ranges.clear();
    return t;
  }();
  const TraceAnalysis a = analyse(trace, {});
  EXPECT_EQ(a.method, "CUDA graph launches");
  EXPECT_EQ(a.step_count(), 4);
  EXPECT_EQ(a.layers.count, 12);
  EXPECT_EQ(a.waste.size(), 1u);
}

TEST(Steps, TellPrefillByItsTokensAndByItsName) {
  MadeLoop prefill{.once = {}, .layer = {kNorm, kWork}};
  prefill.layer[1].dims = "[[4096, 8], [8, 8]]";
  const ScratchTrace file(prefill.text());
  EXPECT_EQ(analyse(read_trace(file.path()), {}).kind, StepKind::prefill);
}

// Whatever of its last step a killed profiler still wrote.
TEST(Steps, LeaveOutTheOneThatTheEndOfTheRecordingCutShort) {
  const Trace whole = read_trace(shipped("cast_eager"));
  for (const std::size_t kernels : {560u, 700u, 895u, 1000u, 1170u}) {
    Trace cut = whole;
    cut.activities.resize(kernels);
    cut.damage = "damaged at byte 1: the file ends early";
    const TraceAnalysis a = analyse(cut, {});
    EXPECT_EQ(a.layers.count, 12) << kernels;
    ASSERT_EQ(a.waste.size(), 1u) << kernels;
    EXPECT_EQ(a.waste[0].layers, 12) << kernels;
    EXPECT_NEAR(a.of(Category::cast_copy).seconds, 10.45e-3, 0.03e-3) << kernels;
  }
}

TEST(Steps, OfWhichOneIsOddHaveTheLayersOfTheOthers) {
  Trace trace = read_trace(shipped("cast_eager"));
  std::erase_if(trace.activities, [n = 0](const Activity&) mutable {
    return ++n > 500 && n <= 520;  // of the second step of four
  });
  const TraceAnalysis a = analyse(trace, {});
  EXPECT_EQ(a.step_count(), 4);
  EXPECT_EQ(a.layers.count, 12);
  ASSERT_EQ(a.waste.size(), 1u);
  EXPECT_EQ(usual_count({12, 12}), 12);
  EXPECT_EQ(usual_count({12, 5}), 0);
  EXPECT_EQ(usual_count({12, 5, 12}), 12);
  EXPECT_EQ(usual_count({12, 5, 12, 7}), 0);
}

TEST(Layers, NameTheOneThatTakesLonger) {
  const Trace trace = [] {
    Trace t = read_trace(shipped("repaired_eager"));
    int norms = 0;
    for (Activity& a : t.activities) {  // two norms a layer: the first of layer 5 in each step
      if (t.name_of(a).find("layer_norm") != std::string::npos && norms++ % 24 == 10)
        a.duration_ns += 90000;
    }
    return t;
  }();
  const TraceAnalysis a = analyse(trace, {});
  ASSERT_EQ(a.layers.outliers.size(), 1u);
  EXPECT_EQ(a.layers.outliers[0].layer, 5);
}

}  // namespace
}  // namespace bench
