#include <gtest/gtest.h>

#include <algorithm>

#include "tests/app/bench_program.h"

namespace bench {
namespace {

std::string shipped(const std::string& name) {
  return std::string(BENCH_TRACES) + "/" + name + ".pt.trace.json.gz";
}

TEST(BenchTrace, SaysWhatIsWrongAndWritesAWorkloadThatRuns) {
  const BenchProgram bench;
  const Outcome said =
      bench.run("trace " + shipped("cast_eager") + " --workload out.yaml --kernels");
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_NE(
      said.out.find("casts 495,552 x 576 FP8 values to BF16, 12 times; at most 0.83 % of them"),
      std::string::npos)
      << said.out;
  const Outcome plan = bench.run("run out.yaml --dry-run");
  EXPECT_EQ(plan.exit, 0) << plan.err << bench.read("out.yaml");
  EXPECT_NE(plan.out.find("full_pool_cast"), std::string::npos) << plan.out;
  EXPECT_EQ(bench.run("trace " + shipped("repaired_eager") + " --workload none.yaml").exit, 2);
}

TEST(BenchTrace, StoresRunsThatCompare) {
  const BenchProgram bench;
  EXPECT_EQ(bench.run("trace " + shipped("cast_eager") + " --store --tag before").exit, 0);
  EXPECT_EQ(bench.run("trace " + shipped("repaired_eager") + " --store --tag after").exit, 0);
  const Outcome again = bench.run("trace " + shipped("repaired_eager") + " --store");
  EXPECT_NE(again.out.find("stored as run 2"), std::string::npos) << again.out << again.err;
  const Outcome compared = bench.run("compare before after --all");
  EXPECT_NE(compared.out.find("cast_copy"), std::string::npos) << compared.out << compared.err;
  EXPECT_NE(compared.out.find("arange"), std::string::npos) << compared.out;
}

TEST(BenchTrace, RefusesWhatIsNoTraceInOneLine) {
  const BenchProgram bench;
  bench.write("empty.json", "");
  bench.write("other.json", "{\"a\": 1}");
  bench.write("text.txt", "hello");
  for (const char* file : {"empty.json", "other.json", "text.txt", "absent.json"}) {
    const Outcome said = bench.run(std::string("trace ") + file);
    EXPECT_EQ(said.exit, 2) << file;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    EXPECT_NE(said.err.find(file), std::string::npos) << said.err;
  }
}

TEST(BenchTrace, RefusesFlagsThatCannotMeanAnything) {
  const BenchProgram bench;
  const std::string trace = "trace " + shipped("cast_graph");
  for (const auto& [flags, says] : std::vector<std::pair<std::string, std::string>>{
           {" --workload out.yaml --model glm9", "no model 'glm9'"},
           {" --model glm5", "add --workload"},
           {" --tag before", "add --store"},
           {" --active 0", "--active: write a count from 1"},
           {" --row none", "--row: 'none' is not a count"},
           {" --workload nowhere/out.yaml", "nowhere/out.yaml cannot be written: No such file"}}) {
    const Outcome said = bench.run(trace + flags);
    EXPECT_EQ(said.exit, 2) << flags;
    EXPECT_NE(said.err.find(says), std::string::npos) << said.err;
  }
  const Outcome active = bench.run(trace + " --active 400k");
  EXPECT_NE(active.out.find("half of them or more are active"), std::string::npos) << active.out;
}

TEST(BenchTrace, SaysItInTenLines) {
  const BenchProgram bench;
  const auto lines = [](const std::string& text) { return std::ranges::count(text, '\n'); };
  for (const char* name :
       {"cast_eager", "cast_graph", "cast_eager_stacks", "repaired_eager", "repaired_graph"}) {
    const Outcome said = bench.run("trace " + shipped(name));
    EXPECT_LE(lines(said.out), 10) << said.out;
  }
  const Outcome cut =
      bench.shell("gzip -dc " + shipped("cast_graph") + " | head -c 900000 > killed.json");
  ASSERT_EQ(cut.exit, 0) << cut.err;
  const Outcome killed = bench.run("trace killed.json");
  EXPECT_LE(lines(killed.out), 10) << killed.out;
  EXPECT_NE(killed.out.find("damaged at byte"), std::string::npos) << killed.out;
}

TEST(BenchTrace, SaysWhatAWayOutGaveOnTheSameKindOfDevice) {
  const BenchProgram bench;
  const std::string published = std::string(BENCH_TRACES) + "/../../../results/published/";
  ASSERT_EQ(bench.run("import " + published + "h200-glm5.json").exit, 0);
  const Outcome said = bench.run("trace " + shipped("cast_eager") + " --json out.json");
  EXPECT_NE(said.out.find("instead, by run 1 at 4096 tokens)"), std::string::npos) << said.out;
  EXPECT_NE(bench.read("out.json").find("\"basis\":\"run 1 at 4096 tokens\""), std::string::npos);
}

TEST(BenchTrace, ReadsAFolderOfRanks) {
  const BenchProgram bench;
  const Outcome copied =
      bench.shell("mkdir ranks && cp " + shipped("cast_eager") + " ranks/a.json.gz && cp " +
                  shipped("repaired_eager") + " ranks/b.json.gz");
  ASSERT_EQ(copied.exit, 0) << copied.err;
  bench.write("ranks/server_args.json", "{}");  // what SGLang writes beside its traces
  const Outcome said = bench.run("trace ranks");
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_NE(said.out.find("left out  ranks/server_args.json is no trace"), std::string::npos)
      << said.out;
  EXPECT_NE(said.out.find("a.json.gz: step 11."), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("b.json.gz: step 8."), std::string::npos) << said.out;
}

TEST(BenchTrace, TellsRanksApartByWhatTheFilesSay) {
  const BenchProgram bench;
  const auto rank = [&](const std::string& name, int number, const std::string& file) {
    const Outcome made = bench.shell(
        "gzip -dc " + shipped(name) +
        " | sed '0,/\"traceEvents\"/s//\"distributedInfo\": {\"rank\": " + std::to_string(number) +
        ", \"world_size\": 2}, \"traceEvents\"/' | gzip > " + file);
    ASSERT_EQ(made.exit, 0) << made.err;
  };
  ASSERT_EQ(bench.shell("mkdir ranks").exit, 0);
  rank("repaired_graph", 1, "ranks/a.json.gz");
  rank("cast_graph", 0, "ranks/b.json.gz");
  const Outcome said = bench.run("trace ranks");
  const std::size_t first = said.out.find("rank 0    b.json.gz: step 11.");
  const std::size_t second = said.out.find("rank 1    a.json.gz: step 1.");
  EXPECT_NE(second, std::string::npos) << said.out << said.err;
  EXPECT_LT(first, second) << said.out;
  EXPECT_NE(said.out.find("rank 0 of 2"), std::string::npos) << said.out;
}

}  // namespace
}  // namespace bench
