#include "workloads/overrides.h"

#include "tests/workloads/test_plan.h"

namespace bench {
namespace {

const std::string kTwo =
    "defaults: {runner: kernel, variants: [a]}\n"
    "workloads:\n"
    "  v: {sweep: {context: [1k, 4k]}, page_size: 16}\n"
    "  w: {concurrency: 2}\n";

PlanOptions with_sets(std::vector<std::string> sets) {
  PlanOptions options = test_options();
  options.set = std::move(sets);
  return options;
}

Plan two_with(std::vector<std::string> sets) { return plan_of(kTwo, with_sets(std::move(sets))); }

TEST(Override, ReachesEveryWorkload) {
  const Plan plan = two_with({"page_size=64", "replicates=8"});
  for (const Workload& workload : plan.workloads) {
    EXPECT_EQ(workload.replicates, 8);
    for (const Point& point : workload.points) EXPECT_EQ(point.parameters.page_size, 64);
  }
}

TEST(Override, ReachesOneWorkload) {
  const Plan plan =
      two_with({"w.context=8k", "workloads.v.deadline=20m", "v.sampling.max_time=5s"});
  EXPECT_EQ(plan.workloads[1].points[0].parameters.context, 8192);
  EXPECT_EQ(plan.workloads[0].points.size(), 2u);
  EXPECT_EQ(plan.workloads[0].deadline_s, 1200);
  EXPECT_EQ(plan.workloads[1].deadline_s, 600);
  EXPECT_EQ(plan.workloads[0].sampling.max_time.count(), 5);
}

TEST(Override, OfGpusTakesAListForIdsAndNotForCounts) {
  const Plan plan = two_with({"gpus=[1]", "w.gpus=[0,3]"});
  EXPECT_EQ(plan.workloads[0].points[0].parameters.gpus, "[1]");
  EXPECT_EQ(plan.workloads[1].points[0].parameters.gpus, "[0,3]");
  const std::string axis =
      "workloads:\n  v: {runner: kernel, variants: [a], sweep: {gpus: [1, 2, 4]}}\n";
  const Plan swept = plan_of(axis, with_sets({"gpus=[2,8]"}));
  ASSERT_EQ(swept.workloads[0].points.size(), 2U);
  EXPECT_EQ(swept.workloads[0].points[1].parameters.gpus, "8");
}

TEST(Override, ReplacesAnAxisByOneValue) {
  const Plan plan = two_with({"context=16k"});
  EXPECT_EQ(plan.workloads[0].axes, std::vector<std::string>{"context"});
  ASSERT_EQ(plan.workloads[0].points.size(), 1u);
  EXPECT_EQ(plan.workloads[0].points[0].parameters.context, 16384);
  EXPECT_EQ(plan.workloads[1].points[0].parameters.context, 16384);
}

TEST(Override, MakesAListAnAxis) {
  const Plan plan = two_with({"w.concurrency=[1, 8, 32]"});
  EXPECT_EQ(plan.workloads[1].axes, std::vector<std::string>{"concurrency"});
  EXPECT_EQ(plan.workloads[1].points.size(), 3u);
}

TEST(Override, FollowsAPathIntoTheFile) {
  const Plan plan = two_with({"v.sweep.context=[2k]", "defaults.variants=[b, c]", "name=other"});
  EXPECT_EQ(plan.workloads[0].points[0].parameters.context, 2048);
  EXPECT_EQ(plan.workloads[1].variants, (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(plan.name, "other");
}

TEST(Override, TakesTextAsItIs) {
  const Plan plan =
      two_with({"endpoint=http://host:1/v1/a=b", "script=a = 1ms; b: 2 # no comment"});
  EXPECT_EQ(plan.workloads[0].points[0].parameters.endpoint, "http://host:1/v1/a=b");
  EXPECT_EQ(plan.workloads[0].points[0].parameters.script, "a = 1ms; b: 2 # no comment");
}

TEST(Override, LetsTheLastOneWin) {
  EXPECT_EQ(two_with({"w.context=8k", "context=2k"}).workloads[1].points[0].parameters.context,
            2048);
}

// design.md's own workload has the name of a parameter.
TEST(Override, TellsAWorkloadFromAParameterOfTheSameName) {
  const std::string text = "workloads: {concurrency: {runner: kernel, variants: [a]}}\n";
  const Plan plan = plan_of(text, with_sets({"concurrency=4", "concurrency.context=2k"}));
  EXPECT_EQ(plan.workloads[0].points[0].parameters.concurrency, 4);
  EXPECT_EQ(plan.workloads[0].points[0].parameters.context, 2048);
}

TEST(Override, IsInTheStoredSourceWhichReadsBackAsTheSamePlan) {
  const Plan plan = two_with({"context=[1k,2k]", "script=\"quoted\" $X # text", "v.page_size=32"});
  const Plan again = plan_of(plan.source);
  ASSERT_EQ(again.workloads.size(), plan.workloads.size());
  for (std::size_t w = 0; w < plan.workloads.size(); ++w) {
    ASSERT_EQ(again.workloads[w].points.size(), plan.workloads[w].points.size());
    for (std::size_t p = 0; p < plan.workloads[w].points.size(); ++p) {
      const Case before = plan.workloads[w].case_of(plan.workloads[w].points[p], "a");
      const Case after = again.workloads[w].case_of(again.workloads[w].points[p], "a");
      EXPECT_EQ(canonical(after), canonical(before));
      EXPECT_EQ(after.parameters.script, before.parameters.script);
    }
  }
  EXPECT_EQ(plan_of(kTwo).source, kTwo);
}

TEST(Override, IsNamedByWhatIsWrongWithIt) {
  const std::pair<std::vector<std::string>, std::string> bad[] = {
      {{"context"}, "--set context: expected key=value, such as context=8k"},
      {{"=4k"}, "--set =4k: expected key=value, such as context=8k"},
      {{"contxt=4k"},
       "--set contxt=4k: no parameter, setting or workload 'contxt' (did you mean 'context'?)"},
      {{"context=4x"}, "--set context=4x: context: '4x' is not a count (write 495552, 4k, 1.5M)"},
      {{"context=[4k"}, "--set context=[4k: expected ',' or ']'"},
      {{"context=[4k] x"}, "--set context=[4k] x: a second document (a file holds one)"},
      {{"context={a: b}"}, "--set context={a: b}: context: expected a single value, got a map"},
      {{"w.contxt=4k"}, "--set w.contxt=4k: unknown key 'contxt' (did you mean 'context'?)"},
      {{"w.sweep.contxt=[4k]"},
       "--set w.sweep.contxt=[4k]: no parameter 'contxt' (did you mean 'context'?)"},
      {{"w..x=4k"}, "--set w..x=4k: unknown key ''"},
      {{"v.page_size.x=4k"}, "--set v.page_size.x=4k: 'x' cannot be set here: there is no map"},
      {{"replicates=0"}, "--set replicates=0: replicates: 0 is out of range (1 to 1000)"},
      {{"context=[1k,128k]", "pool_tokens=64k"},
       "--set context=[1k,128k]: 1 x 128k tokens need 131072 slots, pool_tokens has 65536 (or "
       "skip: "
       "[{context: 128k, reason: ...}])"},
      {{"name=a\x01"}, "--set:1:7: byte 0x01 is not UTF-8 text"},
  };
  for (const auto& [sets, message] : bad) EXPECT_EQ(complaint(kTwo, with_sets(sets)), message);
}

TEST(Override, DoesNotBreakPairs) {
  const std::string zip = kWorkload + "    zip: {context: [1k, 4k], pool_tokens: [64k, 128k]}\n";
  EXPECT_EQ(complaint(zip, with_sets({"context=4k"})),
            "--set context=4k: 'context' is paired with other axes under 'zip' (give a list)");
  EXPECT_EQ(
      complaint(zip, with_sets({"context=[1k, 2k, 4k]"})),
      "x.yaml:6:30: 'pool_tokens' has 2 values and 'context' has 3: 'zip' pairs them one to one");
  EXPECT_EQ(complaint(zip, with_sets({"context=[2k, 8k]"})), "");
}

}  // namespace
}  // namespace bench
