#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "harness/registry.h"
#include "kernels/device.h"

namespace bench {

// The first GPU; nullptr on a machine without one.
inline Device* first_gpu() {
  static const std::unique_ptr<Device> gpu = [] {
    const DeviceFactory* factory = Registry<DeviceFactory>::find("cuda");
    return factory->count() == 0 ? nullptr : factory->open(0);
  }();
  return gpu.get();
}

// Skips every test where there is no GPU.
class OnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (first_gpu() == nullptr) GTEST_SKIP() << "no CUDA device here";
  }
  static Device& device() { return *first_gpu(); }
};

}  // namespace bench
