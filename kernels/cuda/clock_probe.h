#pragma once

#include <optional>

#include "kernels/cuda/cuda_device.h"

namespace bench::cuda {

// Reads an SM's cycle counter and the GPU's nanosecond timer at two points of the stream; the SM
// clock between them is the ratio of the differences.
class ClockProbe {
 public:
  explicit ClockProbe(CudaDevice& device);

  void read(int point);  // enqueues; point is 0 or 1
  // In Hz, of the last two readings, which must be done. Nothing if they came from two SMs or from
  // too short a time.
  [[nodiscard]] std::optional<double> hz() const;

 private:
  CudaDevice& device_;
  Buffer readings_;  // Reading [2]
};

}  // namespace bench::cuda
