#pragma once

#include <memory>

#include "kernels/device.h"
#include "kernels/threads.h"

namespace bench {

// The host as the machine under test: its memory is the host's, its stages run on all its cores.
class CpuDevice : public Device {
 public:
  CpuDevice();

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  Buffer allocate(std::size_t bytes) override;
  void upload(void* device, std::span<const std::byte> host) override;
  void download(std::span<std::byte> host, const void* device) override;
  void synchronise() override {}
  void fill_random(void* device, std::size_t bytes, std::uint64_t seed) override;
  void write_rows(PoolFormat format, void* pool, const StepShape& shape,
                  std::span<const std::int64_t> device_slots, int layer,
                  std::uint64_t seed) override;
  void run_layer(const Pipeline& pipeline, int layer) override;
  std::unique_ptr<Executable> prepare(Pipeline pipeline, const StepShape& shape,
                                      Communicator* ranks = nullptr) override;
  std::unique_ptr<Communicator> join(Meeting& meeting, int rank) override;
  double copy_bandwidth() override;

  [[nodiscard]] Threads& threads() { return threads_; }

 private:
  Threads threads_;
  DeviceInfo info_;
  double copy_bandwidth_ = 0;  // 0: not measured yet
};

// Bytes per second, read plus written: the median of several copies, by the better of two ways.
double measure_copy_bandwidth(CpuDevice& device);

// What a CPU variant is given is always a CpuDevice.
CpuDevice& cpu_device(Device& device);

}  // namespace bench
