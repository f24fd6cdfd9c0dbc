#include "results/trace/structure.h"

#include <gtest/gtest.h>

#include <string>

namespace bench {
namespace {

std::vector<std::uint32_t> positions(const std::string& text) {
  std::vector<std::uint32_t> found;
  find_structure(text, found);
  return found;
}

using List = std::vector<std::uint32_t>;

TEST(Structure, IsQuotesAndTheBracesOutsideOfStrings) {
  EXPECT_EQ(positions(R"({"a": 1})"), (List{0, 1, 3, 7}));
  EXPECT_EQ(positions(R"({"{}": {}})"), (List{0, 1, 4, 7, 8, 9}));
  EXPECT_EQ(positions(""), List{});
}

TEST(Structure, KnowsEscapedQuotesAndEscapedBackslashes) {
  EXPECT_EQ(positions(R"("a\"{")"), (List{0, 5}));
  EXPECT_EQ(positions(R"("a\\"{)"), (List{0, 4, 5}));
  EXPECT_EQ(positions(R"("\\\"{")"), (List{0, 6}));
}

TEST(Structure, CarriesStringsAndEscapesOverBlocksOf64) {
  for (std::uint32_t spaces = 50; spaces < 140; ++spaces) {
    const std::string before(spaces, ' ');
    EXPECT_EQ(positions(before + R"("a{\"}"{)"), (List{spaces, spaces + 6, spaces + 7})) << spaces;
    EXPECT_EQ(positions("\"" + before + "\\\\\"}"), (List{0, spaces + 3, spaces + 4})) << spaces;
  }
}

}  // namespace
}  // namespace bench
