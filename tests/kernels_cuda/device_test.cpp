#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "harness/error.h"
#include "kernels/cuda/nccl.h"
#include "kernels/expected_rows.h"
#include "kernels/pool_format.h"
#include "kernels/random.h"
#include "tests/kernels/small_step.h"
#include "tests/kernels_cuda/gpu.h"

namespace bench {
namespace {

using CudaDevice = OnGpu;

TEST(CudaDevices, AreCountedWithoutThrowing) {
  EXPECT_GE(Registry<DeviceFactory>::find("cuda")->count(), 0);
}

TEST(NcclAnywhere, WhatCannotServeIsSaidInWords) {
  EXPECT_EQ(cuda::nccl_obstacle(22703), "");
  EXPECT_EQ(cuda::nccl_obstacle(21100), "");
  EXPECT_EQ(cuda::nccl_obstacle(21005),
            "NCCL 2.10.5 is too old for collectives in CUDA graphs: 2.11.0 or later is needed, or "
            "--set gpus=1");
  EXPECT_NE(cuda::nccl_obstacle(0).find("libnccl.so.2 was not found: name it in BENCH_NCCL"),
            std::string::npos);
}

TEST(NcclAnywhere, ItsVariablesAreReadAndLeftAlone) {
  setenv("NCCL_A_TEST", "x=1", 1);
  const std::vector<LinkFact> facts = cuda::nccl_variables();
  const auto it = std::ranges::find(facts, "NCCL_A_TEST", &LinkFact::name);
  ASSERT_NE(it, facts.end());
  EXPECT_EQ(it->value, "x=1");
  unsetenv("NCCL_A_TEST");
  EXPECT_EQ(std::ranges::count(cuda::nccl_variables(), "NCCL_A_TEST", &LinkFact::name), 0);
}

TEST_F(CudaDevice, SaysWhatItIs) {
  const DeviceInfo& info = device().info();
  EXPECT_EQ(info.kind, DeviceKind::cuda);
  EXPECT_EQ(info.uuid.substr(0, 4), "GPU-");
  EXPECT_EQ(info.uuid.size(), std::string("GPU-01234567-0123-0123-0123-0123456789ab").size());
  EXPECT_GE(info.compute_capability, 80);
  EXPECT_GT(info.memory_free_bytes, 0);
  EXPECT_LE(info.memory_free_bytes, info.memory_bytes);
}

TEST_F(CudaDevice, GivesBackWhatWasUploaded) {
  const std::vector<int> host{1, 2, 3};
  const Buffer buffer = device().allocate(sizeof(int) * 3);
  device().upload(buffer.as<void>(), std::as_bytes(std::span(host)));
  EXPECT_EQ(download(device(), buffer.as<int>(), 3), host);
}

TEST_F(CudaDevice, SaysHowMuchMemoryItCouldNotGive) {
  try {
    device().allocate(std::size_t{1} << 50);
    FAIL() << "a petabyte";
  } catch (const OutOfMemory& error) {
    EXPECT_NE(std::string(error.what()).find("cudaErrorMemoryAllocation"), std::string::npos);
  }
  EXPECT_NO_THROW(device().allocate(1024));
}

TEST_F(CudaDevice, FillsWithTheWordsOfTheHash) {
  for (const std::int64_t bytes : {8, 4096, 8195, 40'007}) {
    const Buffer buffer = device().allocate(static_cast<std::size_t>(bytes));
    device().fill_random(buffer.as<void>(), buffer.bytes(), 7);
    const auto filled = download(device(), buffer.as<std::uint8_t>(), bytes);
    for (std::int64_t i = 0; i < bytes; ++i) {
      const std::uint64_t word = hash64(7, static_cast<std::uint64_t>(i / 8));
      ASSERT_EQ(filled[static_cast<std::size_t>(i)],
                static_cast<std::uint8_t>(word >> (i % 8 * 8)));
    }
  }
}

TEST_F(CudaDevice, WritesTheRowsThatTheFormatMeans) {
  const StepShape shape = step_shape(small_step());
  const std::vector<std::int64_t> slots{3, 0, 499, 77};
  const Buffer device_slots = device().allocate(slots.size() * sizeof(std::int64_t));
  device().upload(device_slots.as<void>(), std::as_bytes(std::span(slots)));
  for (const PoolFormat format : {PoolFormat::e4m3, PoolFormat::bf16, PoolFormat::ds_mla656}) {
    const std::int64_t bytes = row_bytes(format, shape);
    const Buffer pool = device().allocate(static_cast<std::size_t>(bytes * shape.pool_tokens));
    device().fill_random(pool.as<void>(), pool.bytes(), 1);
    device().write_rows(format, pool.as<void>(), shape,
                        {device_slots.as<std::int64_t>(), slots.size()}, 5, 9);
    for (const std::int64_t slot : slots) {
      std::vector<float> values;
      for (std::int64_t c = 0; c < shape.row_dim(); ++c) {
        values.push_back(original_value(9, 5, slot, c));
      }
      std::vector<std::byte> expected(static_cast<std::size_t>(bytes));
      encode_row(format, shape, values, expected.data());
      EXPECT_EQ(download(device(), pool.as<std::byte>() + slot * bytes, bytes), expected)
          << to_string(format) << " slot " << slot;
    }
  }
}

TEST_F(CudaDevice, MeasuresItsCopyCeilingOnce) {
  const double ceiling = device().copy_bandwidth();
  EXPECT_GT(ceiling, 1e10);
  EXPECT_EQ(device().copy_bandwidth(), ceiling);
}

TEST_F(CudaDevice, ReportsItsStateOrWhyNot) {
  const DeviceState state = device().state();
  EXPECT_EQ(state.why_unknown.empty(), state.temperature_c.has_value());
  EXPECT_GE(state.power_w.value_or(0), 0);
}

}  // namespace
}  // namespace bench
