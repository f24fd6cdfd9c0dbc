#include "results/base64.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, ReadsBackEveryByte) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes += static_cast<char>(i);
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
  }
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char* text : {"Z", "Zg=", "Zg==Zg==", "Zm9!", "=Zg=", "Z==="}) {
    EXPECT_FALSE(from_base64(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace bench
