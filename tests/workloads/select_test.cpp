#include "workloads/select.h"

#include "tests/workloads/test_plan.h"

namespace bench {
namespace {

const std::string kThree =
    "defaults: {runner: kernel, variants: [full_pool_cast/elementwise, gather_cast, native_fp8]}\n"
    "workloads:\n"
    "  single_stream: {}\n"
    "  pool_size: {baseline: gather_cast}\n"
    "  live: {runner: http, variants: [server], endpoint: \"${NOT_SET}\"}\n"
    "gates: [{workload: pool_size, metric: tpot_s}, {workload: live, metric: tpot_s}]\n";

PlanOptions only(std::vector<std::string> patterns) {
  PlanOptions options = test_options();
  options.only = std::move(patterns);
  return options;
}

std::string chosen(std::vector<std::string> patterns) {
  std::string out;
  for (const Workload& workload : plan_of(kThree, only(std::move(patterns))).workloads) {
    for (const std::string& variant : workload.variants) out += workload.name + ":" + variant + " ";
  }
  return out;
}

TEST(Select, KeepsWhatAnyPatternMatches) {
  EXPECT_EQ(chosen({"pool_size"}),
            "pool_size:full_pool_cast/elementwise pool_size:gather_cast pool_size:native_fp8 ");
  EXPECT_EQ(chosen({"*/native*"}), "single_stream:native_fp8 pool_size:native_fp8 ");
  EXPECT_EQ(chosen({"s*/full_pool_cast*"}), "single_stream:full_pool_cast/elementwise ");
  EXPECT_EQ(chosen({"*/full_pool_cast/elementwise", "pool_size/native_fp8"}),
            "single_stream:full_pool_cast/elementwise pool_size:full_pool_cast/elementwise "
            "pool_size:native_fp8 ");
}

TEST(Select, KeepsTheBaselineWhileItIsThere) {
  EXPECT_EQ(plan_of(kThree, only({"pool_size"})).workloads[0].baseline, "gather_cast");
  EXPECT_EQ(plan_of(kThree, only({"pool_size/native*"})).workloads[0].baseline, "native_fp8");
}

TEST(Select, DropsTheGatesOfWhatIsLeftOut) {
  const Plan plan = plan_of(kThree, only({"pool_size"}));
  ASSERT_EQ(plan.gates.size(), 1u);
  EXPECT_EQ(plan.gates[0].workload, "pool_size");
}

TEST(Select, ComplainsOfAPatternThatMatchesNothing) {
  EXPECT_EQ(complaint(kThree, only({"pool_sise"})),
            "--only pool_sise: no workload of that name (did you mean 'pool_size'?)");
  EXPECT_EQ(complaint(kThree, only({"pool_size", "x*"})),
            "--only x*: no workload of that name (there are: single_stream, pool_size, live)");
  EXPECT_EQ(complaint(kThree, only({"single_stream/nat"})),
            "--only single_stream/nat: workload 'single_stream' has no such variant (there are: "
            "full_pool_cast/elementwise, gather_cast, native_fp8)");
  EXPECT_EQ(complaint(kThree, only({""})),
            "--only : no workload of that name (there are: single_stream, pool_size, live)");
}

TEST(Select, PassesAWorkloadOverThatWaitsForAVariable) {
  const Plan plan = plan_of(kThree);
  EXPECT_EQ(plan.workloads[2].points[0].skip, "environment variable NOT_SET is not set");
  EXPECT_EQ(plan.workloads[0].points[0].skip, "");
}

TEST(Select, DemandsAVariableOfAWorkloadThatIsAskedForByName) {
  const std::string wanted =
      "x.yaml:5:54: environment variable NOT_SET is not set (export NOT_SET=..., or --set "
      "live.endpoint=...)";
  EXPECT_EQ(complaint(kThree, only({"live"})), wanted);
  EXPECT_EQ(complaint(kThree, only({"pool_size", "live"})), wanted);
  EXPECT_EQ(complaint(kThree, only({"live/server"})), wanted);
  EXPECT_EQ(complaint(kThree, only({"l*"})), wanted) << "nothing else is left";
  EXPECT_EQ(complaint(kThree, only({"*"})), "");
  EXPECT_EQ(complaint(kThree, only({"pool_size"})), "");
}

}  // namespace
}  // namespace bench
