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

// The tables of an export of 2024 (schema 3.11) that matter, with all of their columns.
constexpr const char* kSchema = R"sql(
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT,
  isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER, memoryBandwidth INTEGER, clockRate INTEGER,
  smCount INTEGER, pwGpuId INTEGER, uuid TEXT, luid INTEGER, chipName TEXT, cuDevice INTEGER, computeMajor INTEGER,
  computeMinor INTEGER, numMultiprocessors INTEGER, maxWarpsPerSm INTEGER, maxBlocksPerSm INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,
  globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,
  launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL,
  gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL,
  blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL,
  localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL,
  sharedMemoryExecuted INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,
  globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, srcKind INTEGER,
  dstKind INTEGER, srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER,
  migrationCause INTEGER, graphNodeId INTEGER, virtualAddress INTEGER, copyCount INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,
  globalPid INTEGER, value INTEGER NOT NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER, memKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL,
  callchainId INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER,
  category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER,
  domainId INTEGER, uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, uint32Value INTEGER,
  int32Value INTEGER, floatValue REAL, jsonTextId INTEGER, jsonText TEXT, binaryData TEXT);
INSERT INTO TARGET_INFO_GPU (vmId, id, name) VALUES (1, 1, 'NVIDIA H200'), (1, 0, 'NVIDIA H200');
)sql";

// A rank's process: what `trace` holds as rows, `late` ns later, kernels `slow` times as long.
struct Rank {
  std::int64_t pid, device, late, slow;

  [[nodiscard]] std::int64_t global() const { return (std::int64_t{1} << 48) + (pid << 24); }

  void activity(std::string& rows, const Activity& a, const LaunchShape& shape) const {
    const std::int64_t begin = a.start_ns + late;
    const std::int64_t correlation = a.launch == kNone ? 0 : a.launch + 1;
    const std::int64_t end = begin + a.duration_ns * slow;
    if (a.kind == TraceEventKind::kernel) {
      rows += format(
          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({}, {}, {}, 1, NULL, {}, {}, {}, {}, 0, "
          "NULL, 0, 0, 32, {}, {}, {}, {}, {}, {}, 0, 0, 0, 0, 0, 0, NULL, 0);",
          begin, end, device, a.stream, correlation, global(), a.name, shape.grid[0], shape.grid[1],
          shape.grid[2], shape.block[0], shape.block[1], shape.block[2]);
    } else if (a.kind == TraceEventKind::memcpy) {
      rows += format(
          "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, "
          "correlationId, globalPid, bytes, copyKind) VALUES ({}, {}, {}, 1, {}, {}, {}, {}, 8);",
          begin, end, device, a.stream, correlation, global(), shape.bytes);
    }
  }

  void host(std::string& rows, const Trace& trace) const {
    for (std::size_t i = 0; i < trace.launches.size(); ++i) {
      const LaunchCall& call = trace.launches[i];
      rows +=
          format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({}, {}, 0, {}, {}, {}, 0, NULL);",
                 call.start_ns + late, call.end_ns + late, global() + pid, i + 1, call.name);
    }
    for (const HostRange& range : trace.ranges) {
      rows += format(
          "INSERT INTO NVTX_EVENTS (start, end, eventType, globalTid, textId) VALUES ({}, {}, 59, "
          "{}, {});",
          range.start_ns + late, range.end_ns + late, global() + pid, range.name);
    }
  }

  void write(std::string& rows, const Trace& trace) const {
    for (const Activity& a : trace.activities) activity(rows, a, trace.shapes[a.shape]);
    host(rows, trace);
  }
};

// A server of two ranks, both profiled into one export: the slower one is looked at, and the
// other's launches, whose correlations are the same numbers, and ranges are kept apart.
TEST_F(Export, OfNsightSystemsIsReadAsTheTraceThatItWas) {
  const Trace trace = read_trace(shipped("cast_eager"));
  std::string rows = std::string(kSchema) + "BEGIN;";
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    std::string name;
    for (const char c : trace.names[i]) name += c == '\'' ? std::string("''") : std::string(1, c);
    rows += format("INSERT INTO StringIds VALUES ({}, '{}');", i, name);
  }
  Rank{.pid = 4000, .device = 1, .late = 3'000'000, .slow = 1}.write(rows, trace);
  Rank{.pid = 4001, .device = 0, .late = 0, .slow = 2}.write(rows, trace);
  write(rows + "INSERT INTO NVTX_EVENTS (start, eventType, text) VALUES (1, 34, 'a mark');COMMIT;");

  const Trace read = read_trace(path_);
  const TraceAnalysis a = analyse(read, {});
  EXPECT_EQ(a.device_name, "NVIDIA H200");
  EXPECT_EQ(a.device, 0);
  EXPECT_EQ(a.other_devices, 1);
  EXPECT_EQ(a.kernels, 1182);
  EXPECT_EQ(a.method, "ProfilerStep ranges");
  EXPECT_EQ(a.step_count(), 4);
  EXPECT_EQ(a.outside, 126);
  EXPECT_EQ(a.layers.count, 12);
  EXPECT_EQ(read.launches.size(), trace.launches.size());
  ASSERT_EQ(a.waste.size(), 1u);
  EXPECT_EQ(a.waste[0].pool_tokens, 495552);
  EXPECT_EQ(a.waste[0].active_tokens, 4096);
  EXPECT_TRUE(a.waste[0].inferred);  // an export holds no shapes of operators
  EXPECT_NEAR(a.waste[0].seconds, 2 * 10.39e-3, 0.04e-3);
}

TEST_F(Export, SaysThatGraphsWereRecordedAsAWhole) {
  std::string rows = kSchema;
  rows +=
      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER NOT NULL, end INTEGER NOT NULL, "
      "deviceId INTEGER NOT NULL, graphId INTEGER NOT NULL, graphExecId INTEGER NOT NULL, "
      "contextId "
      "INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, "
      "globalPid INTEGER);"
      "INSERT INTO StringIds VALUES (1, 'cudaGraphLaunch_v10000');";
  for (int step = 0; step < 5; ++step) {
    rows += format(
        "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES ({}, {}, 0, 1, 1, 1, NULL, 7, {}, "
        "16777216);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({}, {}, 0, 16777217, {}, 1, 0, NULL);",
        1000 * step + 100, 1000 * step + 900, step + 1, 1000 * step, 1000 * step + 50, step + 1);
  }
  write(rows);
  const TraceAnalysis a = analyse(read_trace(path_), {});
  EXPECT_EQ(a.method, "CUDA graph launches");
  EXPECT_EQ(a.step_count(), 5);
  EXPECT_NE(a.note.find("--cuda-graph-trace=node"), std::string::npos);
}

std::string refusal(const std::string& path) {
  try {
    read_trace(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::usage);
    return error.what();
  }
  return "";
}

TEST_F(Export, OfAnotherProgramOrCutShortIsRefused) {
  write("CREATE TABLE something (x INT);");
  EXPECT_NE(refusal(path_).find("not Nsight Systems' export"), std::string::npos);
  write(kSchema);
  std::filesystem::resize_file(path_, 4096);
  EXPECT_NE(refusal(path_).find("nsys export --type sqlite"), std::string::npos);
}

}  // namespace
}  // namespace bench
