#include "kernels/cpu/cpu_device.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "harness/error.h"
#include "harness/format.h"
#include "harness/registry.h"
#include "harness/units.h"
#include "kernels/cores.h"
#include "kernels/cpu/host.h"
#include "kernels/cpu/host_communicator.h"
#include "kernels/cpu/move.h"
#include "kernels/cpu/rows.h"

namespace bench {
namespace {

constexpr std::size_t kHugePage = 2UL << 20;
constexpr std::size_t kAlignment = 256;

using Clock = std::chrono::steady_clock;

[[noreturn]] void out_of_memory(std::size_t bytes) {
  throw OutOfMemory(format("cannot allocate {}: {} of memory are free",
                           format_bytes(static_cast<double>(bytes)),
                           format_bytes(static_cast<double>(available_memory()))));
}

// Linux grants more than it has and kills whoever uses it, so what is free is asked beforehand.
// Huge pages spare scattered reads a page walk each.
Buffer allocate_huge(std::size_t bytes) {
  const std::int64_t available = available_memory();
  const std::size_t mapped = bytes + kHugePage;
  if (available != 0 && mapped > static_cast<std::size_t>(available)) out_of_memory(bytes);
  void* base = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) out_of_memory(bytes);
  std::size_t space = mapped;
  void* data = base;
  std::align(kHugePage, bytes, data, space);
  madvise(data, bytes, MADV_HUGEPAGE);
  return {data, bytes, [base, mapped](void*) { munmap(base, mapped); }};
}

class CpuExecutable : public Executable {
 public:
  CpuExecutable(Pipeline pipeline, int layers, Communicator* ranks)
      : pipeline_(std::move(pipeline)), layers_(layers), ranks_(ranks) {}

  Seconds run() override {
    if (ranks_ != nullptr) ranks_->align();
    const auto start = Clock::now();
    for (int layer = 0; layer < layers_; ++layer) {
      for (const StageCall& call : pipeline_) call.enqueue(layer);
    }
    return Clock::now() - start;
  }

  std::vector<Seconds> run_stages() override {
    std::vector<Seconds> times(pipeline_.size(), Seconds{0});
    if (ranks_ != nullptr) ranks_->align();
    for (int layer = 0; layer < layers_; ++layer) {
      for (std::size_t i = 0; i < pipeline_.size(); ++i) {
        const auto start = Clock::now();
        pipeline_[i].enqueue(layer);
        times[i] += Clock::now() - start;
      }
    }
    return times;
  }

 private:
  Pipeline pipeline_;
  int layers_;
  Communicator* ranks_;
};

const Register<DeviceFactory> kRegistered{
    {.name = "cpu",
     .count = [] { return 1; },
     .open = [](int) -> std::unique_ptr<Device> { return std::make_unique<CpuDevice>(); },
     .lock_name = [](int) { return std::string("cpu"); },
     .cores = [](int, int index, int count) { return shared_cores(index, count); }}};

}  // namespace

CpuDevice::CpuDevice() : info_(describe_host()) {}

Buffer CpuDevice::allocate(std::size_t bytes) {
  if (bytes >= kHugePage) return allocate_huge(bytes);
  const std::size_t rounded =
      (std::max(bytes, std::size_t{1}) + kAlignment - 1) / kAlignment * kAlignment;
  void* data = std::aligned_alloc(kAlignment, rounded);
  if (data == nullptr) out_of_memory(bytes);
  return {data, bytes, [](void* p) { std::free(p); }};
}

void CpuDevice::upload(void* device, std::span<const std::byte> host) {
  std::memcpy(device, host.data(), host.size());
}

void CpuDevice::download(std::span<std::byte> host, const void* device) {
  std::memcpy(host.data(), device, host.size());
}

void CpuDevice::fill_random(void* device, std::size_t bytes, std::uint64_t seed) {
  fill_hashed(threads_, static_cast<std::byte*>(device), static_cast<std::int64_t>(bytes), seed);
}

void CpuDevice::write_rows(PoolFormat pool_format, void* pool, const StepShape& shape,
                           std::span<const std::int64_t> device_slots, int layer,
                           std::uint64_t seed) {
  write_original_rows(threads_, {pool_format, shape, static_cast<std::byte*>(pool)}, device_slots,
                      layer, seed);
}

void CpuDevice::run_layer(const Pipeline& pipeline, int layer) {
  for (const StageCall& call : pipeline) call.enqueue(layer);
}

std::unique_ptr<Executable> CpuDevice::prepare(Pipeline pipeline, const StepShape& shape,
                                               Communicator* ranks) {
  return std::make_unique<CpuExecutable>(std::move(pipeline), static_cast<int>(shape.layers),
                                         ranks);
}

std::unique_ptr<Communicator> CpuDevice::join(Meeting& meeting, int rank) {
  return make_host_communicator(meeting, rank);
}

double CpuDevice::copy_bandwidth() {
  if (copy_bandwidth_ == 0) copy_bandwidth_ = measure_copy_bandwidth(*this);
  return copy_bandwidth_;
}

CpuDevice& cpu_device(Device& device) {
  auto* cpu = dynamic_cast<CpuDevice*>(&device);
  if (cpu == nullptr) fail("a CPU variant was given a device that is not the CPU");
  return *cpu;
}

}  // namespace bench
