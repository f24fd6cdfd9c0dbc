#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "harness/format.h"
#include "results/trace/read_trace.h"

namespace bench {

// A real trace of a small decode loop (tests/trace/shipped): cast_eager, repaired_graph, ...
inline std::string shipped(const std::string& name) {
  return std::string(BENCH_TRACES) + "/" + name + ".pt.trace.json.gz";
}

// A file for one test.
class ScratchTrace {
 public:
  explicit ScratchTrace(const std::string& text)
      : path_((std::filesystem::temp_directory_path() / format("bench_trace_{}.json", getpid()))
                  .string()) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~ScratchTrace() { std::filesystem::remove(path_); }
  ScratchTrace(const ScratchTrace&) = delete;
  ScratchTrace& operator=(const ScratchTrace&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// One launch of a made-up loop, with its operator.
struct MadeLaunch {
  std::string op, dims, types, kernel;
  std::int64_t blocks = 1;
  double us = 10;
  std::int64_t threads = 128;
};

// A loop of steps, each of `once` and then `layers` times `layer`, as a torch profiler records it.
struct MadeLoop {
  std::vector<MadeLaunch> once, layer;
  int layers = 4;
  int steps = 4;
  bool shapes = true;  // false: as in a graph replay

  [[nodiscard]] std::string text() const {
    std::string out =
        R"({"deviceProperties": [{"id": 0, "name": "NVIDIA H200"}], "traceEvents": [)";
    double host = 1000;
    double device = 1000.5;
    std::int64_t id = 1;
    for (int step = 0; step < steps; ++step) {
      const double begin = host;
      const auto launch = [&](const MadeLaunch& l) {
        add(out, l, host, device, ++id);
        host += 1;
        device = std::max(device, host) + l.us + 0.5;
      };
      for (const MadeLaunch& l : once) launch(l);
      for (int i = 0; i < layers; ++i) {
        for (const MadeLaunch& l : layer) launch(l);
      }
      out += format(
          R"({{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#{}", "pid": 1, "tid": 1, "ts": {:.3f}, "dur": {:.3f}, "args": {{}}}},)",
          step, begin - 0.25, host - begin);
      host = std::max(host, device) + 5;
    }
    out.back() = ']';
    return out + "}";
  }

 private:
  void add(std::string& out, const MadeLaunch& l, double host, double device,
           std::int64_t id) const {
    if (shapes) {
      out += format(
          R"({{"ph": "X", "cat": "cpu_op", "name": "{}", "pid": 1, "tid": 1, "ts": {:.3f}, "dur": 0.5, "args": {{"External id": {}, "Input type": {}, "Input Dims": {}}}}},)",
          l.op, host, id, l.types, l.dims);
    }
    out += format(
        R"({{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": {:.3f}, "dur": 0.25, "args": {{"External id": {}, "correlation": {}}}}},)",
        host, id, id);
    out += format(
        R"({{"ph": "X", "cat": "kernel", "name": "{}", "pid": 0, "tid": 7, "ts": {:.3f}, "dur": {:.3f}, "args": {{"External id": {}, "device": 0, "stream": 7, "correlation": {}, "grid": [{}, 1, 1], "block": [{}, 1, 1]}}}},)",
        l.kernel, device, l.us, id, id, l.blocks, l.threads);
  }
};

}  // namespace bench
