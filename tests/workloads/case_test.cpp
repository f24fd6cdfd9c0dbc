#include "workloads/case.h"

#include <gtest/gtest.h>

#include "harness/error.h"
#include "tests/workloads/other_value.h"
#include "workloads/workload.h"

namespace bench {
namespace {

Case glm5_case() {
  Case c{.runner = "kernel", .variant = "full_pool_cast/elementwise", .parameters = {}};
  c.parameters.model = "glm5";
  c.parameters.layers = 78;
  c.parameters.heads = 64;
  c.parameters.context = 16384;
  c.parameters.pool_tokens = 495552;
  c.parameters.placement = Placement::contiguous;
  c.parameters.tensor_parallel = 8;
  c.parameters.k_scale = 0.47;
  return c;
}

TEST(Case, LeavesNeutralParametersOutOfItsIdentity) {
  EXPECT_EQ(canonical({"kernel", "native_fp8", {}}), "runner=kernel;variant=native_fp8");
  EXPECT_EQ(canonical(glm5_case()),
            "runner=kernel;variant=full_pool_cast/elementwise;model=glm5;layers=78;heads=64;"
            "context=16384;pool_tokens=495552;placement=contiguous;tensor_parallel=8;k_scale=0.47");
}

// Literal: a change here makes every stored case another one.
TEST(Case, HasTheSameIdentityOnEveryMachine) {
  EXPECT_EQ(case_id({"kernel", "native_fp8", {}}), "f0e7d59fb3abf6aa");
  EXPECT_EQ(case_id(glm5_case()), "0b845b7380dcf224");
}

TEST(Case, ChangesItsIdentityWithEachIdentityParameterOnly) {
  const std::string before = case_id(glm5_case());
  CaseIds ids;
  for (const auto& info : parameter_table()) {
    Case changed = glm5_case();
    ParameterValue value = other_value(info);
    if (value == info.get(changed.parameters)) value = std::string(info.choices.front());
    info.set(changed.parameters, value);
    EXPECT_EQ(case_id(changed) != before, info.identity) << info.name;
    for (const Case& c : {glm5_case(), changed, changed}) EXPECT_EQ(ids.of(c), case_id(c));
  }
}

TEST(Case, CannotBeForgedBySeparatorsInText) {
  Case honest{"http", "server", {}};
  honest.parameters.engine = "a;context=8";
  Case other{"http", "server", {}};
  other.parameters.engine = "a";
  other.parameters.context = 8;
  EXPECT_NE(canonical(honest), canonical(other));
  EXPECT_EQ(canonical(honest), "runner=http;variant=server;engine=a%3bcontext%3d8");
}

TEST(Case, IsLabelledByItsAxes) {
  EXPECT_EQ(label(glm5_case().parameters, {"context", "pool_tokens", "placement"}),
            "context 16k, pool_tokens 495552, placement contiguous");
  EXPECT_EQ(label(glm5_case().parameters, {}), "");
  EXPECT_THROW(label({}, {"contxt"}), Error);
}

TEST(Workload, MakesACaseOfAPointAndAVariant) {
  Workload workload;
  workload.runner = "kernel";
  const Case c = workload.case_of({.parameters = glm5_case().parameters, .skip = {}},
                                  "full_pool_cast/elementwise");
  EXPECT_EQ(canonical(c), canonical(glm5_case()));
}

}  // namespace
}  // namespace bench
