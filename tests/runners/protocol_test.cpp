#include "runners/protocol.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

TEST(Protocol, CarriesWhatADeviceSaysOfItself) {
  WorkerMessage message{.kind = WorkerMessage::Kind::estimates};
  message.estimates.device = {.name = "NVIDIA H200",
                              .uuid = "GPU-1",
                              .kind = "cuda",
                              .memory_bytes = 1.5e11,
                              .copy_bandwidth_per_s = 4.07e12,
                              .facts = {{"driver", "595.71.05", FactRole::software},
                                        {"power_limit", "700 W", FactRole::machine}}};
  const DeviceFacts device = decode_message(encode(message)).estimates.device;
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
