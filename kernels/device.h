#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/units.h"
#include "kernels/pool_format.h"
#include "kernels/shape.h"

namespace bench {

enum class DeviceKind { cpu, cuda };
std::string to_string(DeviceKind kind);

// What a variant may ask of a device before it says yes.
struct DeviceInfo {
  DeviceKind kind;
  std::string name;  // "NVIDIA H200", or the CPU's model name
  std::string uuid;  // empty on a CPU
  int ordinal = 0;
  int compute_capability = 0;                // 90 for sm_90; 0 on a CPU
  int multiprocessors = 0;                   // or hardware threads
  std::int64_t shared_memory_per_block = 0;  // opt-in maximum
  std::int64_t cache_bytes = 0;              // L2, or the last-level cache
  std::int64_t memory_bytes = 0;
  std::int64_t memory_free_bytes = 0;
  std::string driver;                   // "595.71.05"; empty: none, or it does not say
  std::string runtime;                  // "CUDA 13.0"
  std::optional<double> power_limit_w;  // that is enforced
};

// Telemetry at one moment. Absent fields could not be read.
struct DeviceState {
  std::string why_unknown;  // why nothing could be read; empty: something could
  std::optional<double> temperature_c;
  std::optional<double> power_w;
  std::optional<double> energy_j;  // total, since the driver was loaded
  std::optional<double> sm_clock_hz;
  std::vector<std::string> throttle_reasons;
  std::string other_processes;  // on the device; empty: none seen
};

// Memory of a device. Move-only; frees itself.
class Buffer {
 public:
  Buffer() = default;
  Buffer(void* data, std::size_t bytes, std::function<void(void*)> release)
      : data_(data, std::move(release)), bytes_(bytes) {}

  template <typename T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_.get());
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  explicit operator bool() const { return data_ != nullptr; }

 private:
  std::unique_ptr<void, std::function<void(void*)>> data_;
  std::size_t bytes_ = 0;
};

enum class Stage { append, plan, gather, cast, attention, combine, allreduce };
std::string to_string(Stage stage);

// One stage of a step: enqueue(layer) starts the work of that layer on the device (on a CPU it
// does the work). It must not allocate, synchronise or depend on anything but the layer.
struct StageCall {
  Stage stage;
  std::function<void(int layer)> enqueue;
};

// A step: for each layer in turn, the stages in order. Whatever the calls refer to is owned by
// their captures.
using Pipeline = std::vector<StageCall>;

class Communicator;
class Meeting;

// A pipeline made ready to be timed (on CUDA: captured into a graph, if so asked).
class Executable {
 public:
  virtual ~Executable() = default;
  // One step of all layers, timed by the device's own clock; returns when it is done.
  virtual Seconds run() = 0;
  // One instrumented step: the time of each stage of the pipeline, all layers together.
  virtual std::vector<Seconds> run_stages() = 0;
  // SM clock during the last run(), in Hz, where the device can tell.
  virtual std::optional<double> clock_hz() { return std::nullopt; }
};

// The machine under test: memory, copies, the ceiling, and the clock. One a process and GPU.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  // Uninitialised memory, at least 256-byte aligned. Throws OutOfMemory.
  virtual Buffer allocate(std::size_t bytes) = 0;
  virtual void upload(void* device, std::span<const std::byte> host) = 0;
  virtual void download(std::span<std::byte> host, const void* device) = 0;
  virtual void synchronise() = 0;
  // Fills with reproducible pseudo-random bytes: word i (8 bytes) is hash64(seed, i) of
  // kernels/random.h.
  virtual void fill_random(void* device, std::size_t bytes, std::uint64_t seed) = 0;
  // Writes the rows of original_value() of `layer` into the given slots (device memory, [count])
  // of a pool.
  virtual void write_rows(PoolFormat format, void* pool, const StepShape& shape,
                          std::span<const std::int64_t> device_slots, int layer,
                          std::uint64_t seed) = 0;
  // Runs the pipeline's stages for one layer, untimed (the correctness check).
  virtual void run_layer(const Pipeline& pipeline, int layer) = 0;
  // With `ranks`, every run begins at the same time on all of them, by a collective before it.
  virtual std::unique_ptr<Executable> prepare(Pipeline pipeline, const StepShape& shape,
                                              Communicator* ranks = nullptr) = 0;
  // This device's end of the collectives of a step. The device must outlive it.
  virtual std::unique_ptr<Communicator> join(Meeting& meeting, int rank) = 0;
  // Bytes per second, read plus written, of the best large copy this device does: the ceiling all
  // shares and predictions refer to. Measured on the first call, of memory larger than any cache.
  virtual double copy_bandwidth() = 0;
  virtual DeviceState state() { return {.why_unknown = "no telemetry of this kind of device"}; }
};

// Something true of several devices together.
struct LinkFact {
  std::string name;  // "link", "nccl", "NCCL_ALGO"
  std::string value;
  bool machine = false;    // another value is another machine
  double bytes_per_s = 0;  // of the link: one device's peak in one direction; 0: unknown
};

struct DeviceFactory {
  std::string name;            // "cpu", "cuda"
  std::function<int()> count;  // devices of this kind here; never throws
  std::function<std::unique_ptr<Device>(int ordinal)> open;
  // What exclusive use of it is called: the UUID of a GPU, else "cpu". Opens nothing.
  std::function<std::string(int ordinal)> lock_name;
  // Why there are none although the machine has some; empty: it has none, or they can be used.
  std::function<std::string()> obstacle = [] { return std::string(); };
  // Cores next to the device, where the thread that speaks to it belongs, when it is the index-th
  // of `count`; empty: anywhere.
  std::function<std::vector<int>(int ordinal, int index, int count)> cores;
  // How several are linked, for the record; the first fact is the link itself.
  std::function<std::vector<LinkFact>(std::span<const DeviceInfo>)> links = [](auto) {
    return std::vector<LinkFact>();
  };
  [[nodiscard]] std::string key() const { return name; }
};

}  // namespace bench
