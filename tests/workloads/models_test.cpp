#include "workloads/models.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/workloads/test_plan.h"

namespace bench {
namespace {

struct Shape {
  std::string model;
  std::int64_t layers, hidden, heads, rope, nope, v;
};

// The table of the MLA models that the presets come from.
const Shape kShapes[] = {
    {"glm5", 78, 6144, 64, 64, 192, 256},         {"glm5.2", 78, 6144, 64, 64, 192, 256},
    {"deepseek-v3", 61, 7168, 128, 64, 128, 128}, {"deepseek-v3.2", 61, 7168, 128, 64, 128, 128},
    {"kimi-k2", 61, 7168, 64, 64, 128, 128},      {"kimi-k3", 24, 7168, 96, 64, 128, 128},
    {"glm4.7-flash", 47, 2048, 20, 64, 192, 256}, {"longcat-flash", 56, 6144, 64, 64, 128, 128},
    {"deepseek-v2", 60, 5120, 128, 64, 128, 128}, {"deepseek-v2-lite", 27, 2048, 16, 64, 128, 128},
};

std::string workload_of(const std::string& model) {
  return "workloads: {w: {runner: kernel, variants: [a], model: " + model + "}}\n";
}

Parameters parameters_of(const std::string& model, const PlanOptions& options = test_options()) {
  return plan_of(workload_of(model), options).workloads[0].points[0].parameters;
}

TEST(Models, HaveTheShapesOfTheirSources) {
  for (const Shape& shape : kShapes) {
    const Parameters p = parameters_of(shape.model);
    EXPECT_EQ(p.model, shape.model);
    EXPECT_EQ(p.layers, shape.layers) << shape.model;
    EXPECT_EQ(p.hidden, shape.hidden) << shape.model;
    EXPECT_EQ(p.heads, shape.heads) << shape.model;
    EXPECT_EQ(p.kv_lora_rank, 512) << shape.model;
    EXPECT_EQ(p.qk_rope_head_dim, shape.rope) << shape.model;
    EXPECT_EQ(p.qk_nope_head_dim, shape.nope) << shape.model;
    EXPECT_EQ(p.v_head_dim, shape.v) << shape.model;
  }
}

TEST(Models, AreAllOfTheseAndOneThatIsIncomplete) {
  std::vector<std::string> names = {"glm5.3-flash"};
  for (const Shape& shape : kShapes) names.push_back(shape.model);
  std::ranges::sort(names);
  EXPECT_EQ(preset_names(test_options().model_folders), names);
}

TEST(Models, ThatLackAValueDemandIt) {
  PlanOptions options = test_options();
  EXPECT_EQ(complaint(workload_of("glm5.3-flash")),
            "x.yaml:1:55: model 'glm5.3-flash' does not give 'hidden' (--set hidden=...)");
  options.set = {"hidden=4k"};
  const Parameters p = parameters_of("glm5.3-flash", options);
  EXPECT_EQ(p.hidden, 4096);
  EXPECT_EQ(p.layers, 11);
  EXPECT_EQ(p.heads, 64);
  EXPECT_EQ(p.qk_rope_head_dim, 0);
  EXPECT_EQ(p.qk_nope_head_dim, 256);
  EXPECT_EQ(p.v_head_dim, 256);
}

class ModelFiles : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_ / "mine"); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string whole_ =
      "{layers: 3, hidden: 64, heads: 2, kv_lora_rank: 512, qk_rope_head_dim: 64, "
      "qk_nope_head_dim: 128, v_head_dim: 128}\n";
};

TEST_F(ModelFiles, AreFoundInTheFirstFolderThatHasThem) {
  write("glm5.yaml", whole_);
  PlanOptions options = test_options();
  options.model_folders.insert(options.model_folders.begin(), folder_.string());
  EXPECT_EQ(parameters_of("glm5", options).layers, 3);
  EXPECT_EQ(parameters_of("deepseek-v3", options).layers, 61);
}

TEST_F(ModelFiles, AreFoundByAPathFromTheConfiguration) {
  write("mine/tiny.yaml", whole_);
  const std::string config = (folder_ / "x.yaml").string();
  const Plan plan = parse_plan(workload_of("mine/tiny.yaml"), config, test_options());
  EXPECT_EQ(plan.workloads[0].points[0].parameters.layers, 3);
  EXPECT_EQ(plan.workloads[0].points[0].parameters.model, "tiny");
}

TEST_F(ModelFiles, AreNamedWhenTheyAreWrong) {
  write("bad.yaml", "layers: 3\nhead: 2\n");
  PlanOptions options = test_options();
  options.model_folders = {folder_.string()};
  EXPECT_EQ(complaint(workload_of("bad"), options),
            (folder_ / "bad.yaml").string() + ":2:1: unknown key 'head' (did you mean 'heads'?)");
  write("bad.yaml", "layers: many\n");
  EXPECT_EQ(complaint(workload_of("bad"), options),
            (folder_ / "bad.yaml").string() +
                ":1:9: layers: 'many' is not a count (write 495552, 4k, 1.5M)");
  options.model_folders = {"/no/such"};
  EXPECT_EQ(complaint(workload_of("bad"), options),
            "x.yaml:1:55: model: no presets were found (looked in: /no/such)");
}

}  // namespace
}  // namespace bench
