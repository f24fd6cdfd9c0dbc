#include "harness/suggest.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

TEST(Suggestion, NamesTheNearestKnownWord) {
  const std::vector<std::string> known{"context", "concurrency", "pool_tokens"};
  EXPECT_EQ(suggestion("contxt", known), " (did you mean 'context'?)");
  EXPECT_EQ(suggestion("rnu", {"run"}), " (did you mean 'run'?)");
  EXPECT_EQ(suggestion("pool_token", known), " (did you mean 'pool_tokens'?)");
}

TEST(Suggestion, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(suggestion("zzz", {"context"}), "");
  EXPECT_EQ(suggestion("context", {}), "");
  EXPECT_EQ(suggestion(std::string(1 << 20, 'x'), {"context"}), "");
}

}  // namespace
}  // namespace bench
