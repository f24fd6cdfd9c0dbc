#include "workloads/gpus.h"

#include <gtest/gtest.h>

#include "harness/error.h"
#include "workloads/parameters.h"

namespace bench {
namespace {

TEST(ParseGpus, TakesAllACountOrIds) {
  EXPECT_TRUE(parse_gpus("all").all());
  EXPECT_EQ(parse_gpus("2").count, 2);
  EXPECT_EQ(parse_gpus("[0, 3]").ids, (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(parse_gpus("5,1").ids, (std::vector<std::int64_t>{5, 1}));
  EXPECT_EQ(parse_gpus("[7]").ids, (std::vector<std::int64_t>{7}));
}

TEST(ParseGpus, RefusesEverythingElse) {
  for (const char* text : {"", "0", "-1", "two", "[]", "1,", "[1", "1,1", "1.5", "99999"}) {
    EXPECT_THROW(parse_gpus(text), Error) << text;
  }
}

TEST(Gpus, EqualChoicesAreEqualCases) {
  Parameters a;
  Parameters b;
  set_from_text(a, *find_parameter("gpus"), "[0, 3]");
  set_from_text(b, *find_parameter("gpus"), "0,3");
  EXPECT_EQ(a.gpus, "[0,3]");
  EXPECT_EQ(a.gpus, b.gpus);
}

}  // namespace
}  // namespace bench
