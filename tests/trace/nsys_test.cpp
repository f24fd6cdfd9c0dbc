#include <gtest/gtest.h>

#include <filesystem>

#include "harness/error.h"
#include "results/database.h"
#include "results/trace/analysis.h"
#include "tests/trace/traces.h"

namespace bench {
namespace {

class Export : public testing::Test {
 protected:
  Export() {
    const ScratchTrace name("");
    path_ = name.path() + ".sqlite";
    std::filesystem::remove(path_);
  }
  ~Export() override { std::filesystem::remove(path_); }
  void write(const std::string& script) { Database(path_, Access::write).execute(script); }
  std::string path_;
};

// Two steps of three layers, one kernel each, named by NVTX ranges.
TEST_F(Export, OfNsightSystemsIsReadAsATrace) {
  std::string script =
      "CREATE TABLE StringIds (id INTEGER, value TEXT);"
      "INSERT INTO StringIds VALUES (1, 'nvjet_gemm'), (2, 'layer_norm'), (3, 'cudaLaunchKernel');"
      "CREATE TABLE TARGET_INFO_GPU (name TEXT); INSERT INTO TARGET_INFO_GPU VALUES ('NVIDIA "
      "H100');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, correlationId INT, deviceId "
      "INT, "
      "streamId INT, demangledName INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, "
      "blockZ INT);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, correlationId INT, nameId "
      "INT);"
      "CREATE TABLE NVTX_EVENTS (start INT, end INT, correlationId INT, globalTid INT, text TEXT, "
      "textId INT);";
  for (int step = 0; step < 2; ++step) {
    script += format("INSERT INTO NVTX_EVENTS VALUES ({}, {}, 0, 1, 'decode', NULL);", step * 1000,
                     step * 1000 + 99);
    for (int i = 0; i < 6; ++i) {
      const int id = 1 + step * 6 + i;
      script += format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({0}, {1}, {2}, 3);",
                       step * 1000 + i, step * 1000 + i + 1, id);
      script += format(
          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({}, {}, {}, 0, 7, {}, 4, 1, 1, 128, 1, "
          "1);",
          step * 1000 + 100 * i, step * 1000 + 100 * i + 50, id, 1 + i % 2);
    }
  }
  write(script);
  const TraceAnalysis a = analyse(read_trace(path_), {});
  EXPECT_EQ(a.device_name, "NVIDIA H100");
  EXPECT_EQ(a.method, "decode ranges");
  EXPECT_EQ(a.step_count(), 2);
  EXPECT_EQ(a.layers.count, 3);
  EXPECT_NEAR(a.of(Category::gemm).seconds, 150e-9, 1e-15);
}

TEST_F(Export, OfAnotherProgramIsRefused) {
  write("CREATE TABLE something (x INT);");
  EXPECT_THROW(read_trace(path_), Error);
}

}  // namespace
}  // namespace bench
