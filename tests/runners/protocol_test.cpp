#include "runners/protocol.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

TEST(Protocol, CarriesWhatADeviceSaysOfItself) {
  WorkerMessage message{.kind = WorkerMessage::Kind::estimates};
  message.estimates.devices.push_back({.name = "NVIDIA H200",
                                       .uuid = "GPU-1",
                                       .kind = "cuda",
                                       .memory_bytes = 1.5e11,
                                       .copy_bandwidth_per_s = 4.07e12,
                                       .facts = {{"driver", "595.71.05", FactRole::software},
                                                 {"power_limit", "700 W", FactRole::machine}}});
  message.estimates.environment = {{"server.kv_cache_dtype", "fp8", FactRole::machine}};
  const Estimates read = decode_message(encode(message)).estimates;
  ASSERT_EQ(read.environment.size(), 1u);
  EXPECT_EQ(read.environment[0].name, "server.kv_cache_dtype");
  EXPECT_EQ(read.environment[0].value, "fp8");
  EXPECT_EQ(read.environment[0].role, FactRole::machine);
  const DeviceFacts& device = read.devices.at(0);
  EXPECT_EQ(device.name, "NVIDIA H200");
  EXPECT_EQ(device.copy_bandwidth_per_s, 4.07e12);
  ASSERT_EQ(device.facts.size(), 2u);
  EXPECT_EQ(device.facts[0].value, "595.71.05");
  EXPECT_EQ(device.facts[0].role, FactRole::software);
  EXPECT_EQ(device.facts[1].name, "power_limit");
  EXPECT_EQ(device.facts[1].role, FactRole::machine);
}

}  // namespace
}  // namespace bench
