#include "workloads/possible.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

Parameters glm5() {
  Parameters p;
  p.heads = 64;
  p.tensor_parallel = 8;
  p.context = 4096;
  p.pool_tokens = 495552;
  return p;
}

std::string reason(const Parameters& p) {
  const auto wrong = impossible(p);
  return wrong ? wrong->reason : "";
}

TEST(Possible, CountsSlotsInWholePages) {
  Parameters p = glm5();
  p.context = 4097;
  p.concurrency = 3;
  EXPECT_EQ(active_slots(p), 3 * 4097);
  p.page_size = 64;
  EXPECT_EQ(active_slots(p), 3 * 4160);
}

TEST(Possible, IsAPoolThatIsJustFull) {
  Parameters p = glm5();
  p.concurrency = 15;
  p.context = 33036;  // pages of 1: 495540
  EXPECT_EQ(reason(p), "");
  p.page_size = 16;  // 33040 each: 495600
  EXPECT_EQ(reason(p), "15 x 33036 tokens need 495600 slots, pool_tokens has 495552");
  p.pool_tokens = 495599;  // the pool is rounded up to whole pages too
  EXPECT_EQ(reason(p), "");
}

TEST(Possible, NeedsNoPoolWhenThePoolIsWhatIsActive) {
  Parameters p = glm5();
  p.pool_tokens = 0;
  p.concurrency = 512;
  EXPECT_EQ(reason(p), "");
  p.context = 1 << 27;
  EXPECT_EQ(
      reason(p),
      "512 requests of 128M tokens need 68719476736 slots; at most 2147483647 can be numbered");
}

TEST(Possible, DividesHeadsAmongRanks) {
  Parameters p = glm5();
  p.heads = 20;
  EXPECT_EQ(reason(p), "20 heads cannot be shared by tensor_parallel 8");
  p.tensor_parallel = 4;
  EXPECT_EQ(reason(p), "");
}

TEST(Possible, CountsTheNewTokensInTheContext) {
  Parameters p = glm5();
  p.context = 4;
  p.query_tokens = 4;
  EXPECT_EQ(reason(p), "");
  p.query_tokens = 5;
  EXPECT_EQ(reason(p), "query_tokens 5 is more than context 4, which includes them");
}

TEST(Possible, LeavesALiveServerItsOwnPoolAndRanks) {
  Parameters p = glm5();
  p.heads = 20;
  p.context = 1 << 20;
  p.endpoint = "https://[::1]:30000/v1";
  EXPECT_EQ(reason(p), "");
  p.duration_s = 0;
  EXPECT_EQ(reason(p), "duration_s 0 and requests 0 would never end");
  p.requests = 5;
  EXPECT_EQ(reason(p), "");
}

TEST(Possible, NeedsAnEndpointThatHoldsNoSecret) {
  Parameters p = glm5();
  p.endpoint = "http://me:secret@host:1/path";
  EXPECT_EQ(reason(p), "endpoint: holds a password (use api_key_env or api_key_file)");
  p.endpoint = "http://host:1/path@2";
  EXPECT_EQ(reason(p), "");
  p.endpoint = "http://host:1/path\nX: y";
  EXPECT_EQ(reason(p), "endpoint: has a blank or a line end in it");
  for (const char* url : {"http://host:99999", "http://host:abc/path", "http://[::1]:0"}) {
    p.endpoint = url;
    EXPECT_EQ(reason(p), "endpoint: the port is no number from 1 to 65535") << url;
  }
  for (const char* url : {"http://host:1/path?key=1", "http://host:1#x", "http://host?x"}) {
    p.endpoint = url;
    EXPECT_EQ(reason(p), "endpoint: ends before '?' and '#' (routes are put behind it)") << url;
  }
  p.endpoint = "http:///path";
  EXPECT_EQ(reason(p), "endpoint: no host");
  p.endpoint = "host:1";
  EXPECT_EQ(reason(p), "endpoint: expected http://... or https://...");
}

}  // namespace
}  // namespace bench
