#include "kernels/cpu/cpu_device.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "harness/error.h"
#include "harness/registry.h"
#include "kernels/cpu/simd.h"
#include "kernels/expected_rows.h"
#include "kernels/random.h"
#include "tests/kernels/small_step.h"

namespace bench {
namespace {

TEST(CpuDevice, IsRegisteredAndDescribesTheMachine) {
  const DeviceFactory* factory = Registry<DeviceFactory>::find("cpu");
  ASSERT_NE(factory, nullptr);
  ASSERT_EQ(factory->count(), 1);
  const auto cpu = factory->open(0);
  const DeviceInfo& info = cpu->info();
  EXPECT_EQ(info.kind, DeviceKind::cpu);
  EXPECT_NE(info.name, "");
  EXPECT_GE(info.multiprocessors, 1);
  EXPECT_GT(info.memory_bytes, 0);
  EXPECT_GT(info.memory_free_bytes, 0);
  EXPECT_LE(info.memory_free_bytes, info.memory_bytes);
}

TEST(CpuDevice, RefusesMoreMemoryThanThereIs) {
  CpuDevice cpu;
  EXPECT_THROW(cpu.allocate(static_cast<std::size_t>(cpu.info().memory_bytes) * 2), OutOfMemory);
}

TEST(CpuDevice, AlignsSmallAndLargeMemory) {
  CpuDevice cpu;
  for (const std::size_t bytes : {1UL, 1000UL, 5UL << 20}) {
    const Buffer buffer = cpu.allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.as<void>()) % 256, 0u);
    EXPECT_EQ(buffer.bytes(), bytes);
    std::memset(buffer.as<void>(), 1, bytes);
  }
}

TEST(CpuDevice, FillsWithHashedWordsOnEveryInstructionSet) {
  CpuDevice cpu;
  for (const simd::Level level : {simd::Level::baseline, simd::Level::v3, simd::Level::v4}) {
    simd::use_level(level);
    std::vector<std::byte> bytes(1'000'003);
    cpu.fill_random(bytes.data(), bytes.size(), 42);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::uint64_t word = hash64(42, i / 8);
      ASSERT_EQ(std::to_integer<std::uint64_t>(bytes[i]), word >> (8 * (i % 8)) & 0xff) << i;
    }
  }
  simd::use_level(simd::best_level());
}

TEST(CpuDevice, WritesRowsAsTheFormatSaysAndNothingElse) {
  CpuDevice cpu;
  const StepShape shape = step_shape(small_step());
  const std::vector<std::int64_t> slots{3, 77, 499};
  for (const PoolFormat format : {PoolFormat::e4m3, PoolFormat::bf16, PoolFormat::ds_mla656}) {
    const auto bytes = static_cast<std::size_t>(row_bytes(format, shape));
    std::vector<std::byte> pool(bytes * 500, std::byte{0xa5});
    std::vector<std::byte> expected = pool;
    std::vector<float> values(static_cast<std::size_t>(shape.row_dim()));
    for (const std::int64_t slot : slots) {
      for (std::size_t c = 0; c < values.size(); ++c) {
        values[c] = original_value(9, 1, slot, static_cast<std::int64_t>(c));
      }
      encode_row(format, shape, values, expected.data() + static_cast<std::size_t>(slot) * bytes);
    }
    cpu.write_rows(format, pool.data(), shape, slots, 1, 9);
    EXPECT_EQ(pool, expected) << to_string(format);
  }
}

TEST(CpuDevice, RunsTheStagesOfEachLayerInOrder) {
  CpuDevice cpu;
  std::string ran;
  const Pipeline pipeline{
      {Stage::append, [&](int layer) { ran += "a" + std::to_string(layer); }},
      {Stage::attention, [&](int layer) { ran += "t" + std::to_string(layer); }}};
  StepShape shape = step_shape(small_step());
  shape.layers = 3;
  const auto step = cpu.prepare(pipeline, shape);
  EXPECT_GT(step->run().count(), 0);
  EXPECT_EQ(ran, "a0t0a1t1a2t2");
  ran.clear();
  EXPECT_EQ(step->run_stages().size(), 2u);
  EXPECT_EQ(ran, "a0t0a1t1a2t2");
}

TEST(CpuDevice, TimesEachStageByItself) {
  CpuDevice cpu;
  const auto sleep = [](int milliseconds) {
    return [=](int) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); };
  };
  StepShape shape = step_shape(small_step());
  const auto step = cpu.prepare({{Stage::append, sleep(0)}, {Stage::cast, sleep(20)}}, shape);
  const auto times = step->run_stages();
  EXPECT_GE(times[1].count(), 0.04);  // 2 layers
  EXPECT_LT(times[0].count(), times[1].count());
}

}  // namespace
}  // namespace bench
