#pragma once

#include <memory>
#include <optional>

#include "kernels/cuda/cuda.h"
#include "kernels/cuda/nvml.h"
#include "kernels/device.h"

namespace bench::cuda {

// A GPU. All work goes to one stream, in the order it is asked for; upload(), download() and
// synchronise() wait for it.
class CudaDevice : public Device {
 public:
  explicit CudaDevice(int ordinal);

  [[nodiscard]] const DeviceInfo& info() const override;
  Buffer allocate(std::size_t bytes) override;
  void upload(void* device, std::span<const std::byte> host) override;
  void download(std::span<std::byte> host, const void* device) override;
  void synchronise() override { stream_.synchronise(); }
  void fill_random(void* device, std::size_t bytes, std::uint64_t seed) override;
  void write_rows(PoolFormat format, void* pool, const StepShape& shape,
                  std::span<const std::int64_t> device_slots, int layer,
                  std::uint64_t seed) override;
  void run_layer(const Pipeline& pipeline, int layer) override;
  std::unique_ptr<Executable> prepare(Pipeline pipeline, const StepShape& shape,
                                      Communicator* ranks = nullptr) override;
  std::unique_ptr<Communicator> join(Meeting& meeting, int rank) override;
  double copy_bandwidth() override;
  DeviceState state() override { return nvml_.state(); }

  // Where stages enqueue their kernels.
  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }

 private:
  mutable DeviceInfo info_;  // memory_free_bytes is asked anew each time
  Nvml nvml_;
  Stream stream_;
  double copy_bandwidth_ = 0;  // 0: not measured yet
};

// What a CUDA variant is given is always a CudaDevice.
CudaDevice& cuda_device(Device& device);

// Bytes per second, read plus written: the median of several copies, by the better of two ways.
double measure_copy_bandwidth(CudaDevice& device);

}  // namespace bench::cuda
