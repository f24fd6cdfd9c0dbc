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

TEST(BenchTrace, ReadsAFolderOfRanks) {
  const BenchProgram bench;
  const Outcome copied =
      bench.shell("mkdir ranks && cp " + shipped("cast_eager") + " ranks/a.json.gz && cp " +
                  shipped("repaired_eager") + " ranks/b.json.gz");
  ASSERT_EQ(copied.exit, 0) << copied.err;
  const Outcome said = bench.run("trace ranks");
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_NE(said.out.find("a.json.gz: step 11."), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("b.json.gz: step 8."), std::string::npos) << said.out;
}

}  // namespace
}  // namespace bench
