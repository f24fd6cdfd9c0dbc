#include "dashboards/text.h"

#include <gtest/gtest.h>

#include "dashboards/text_matrix.h"

namespace bench {
namespace {

TEST(Text, CountsCellsAndNotBytes) {
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("\u00b5s"), 2);
  EXPECT_EQ(display_width("e\u0301"), 1);       // combining accent
  EXPECT_EQ(display_width("\u6a21\u578b"), 4);  // two wide characters
  EXPECT_EQ(display_width("\xff"), 1);
}

TEST(Text, LeavesNoControlCharacters) {
  EXPECT_EQ(printable("a\x1b[2Jb\nc"), "a [2Jb c");
  EXPECT_EQ(printable("\xff\xc3"), "??");
  EXPECT_EQ(printable("a\u202eb"), "a b");  // text direction override
}

TEST(Text, CutsBetweenCharacters) {
  EXPECT_EQ(ellipsis("abcdefgh", 6), "abc...");
  EXPECT_EQ(ellipsis("\u6a21\u578b\u6a21\u578b", 6), "\u6a21...");
  EXPECT_EQ(ellipsis("abc", 3), "abc");
}

TEST(Text, WrapsAtSpacesAndBreaksLongWords) {
  EXPECT_EQ(wrap("one two three", 9, 2), (std::vector<std::string>{"one two", "  three"}));
  EXPECT_EQ(wrap("abcdefghijkl", 10, 0), (std::vector<std::string>{"abcdefghij", "kl"}));
  EXPECT_EQ(wrap("", 10, 0), (std::vector<std::string>{""}));
}

TEST(Text, WritesNoEscapesWithoutColour) {
  EXPECT_EQ(styled("x", Style::good, false), "x");
  EXPECT_EQ(styled("x", Style::good, true), "\x1b[32mx\x1b[0m");
}

TextMatrix two_columns() {
  return {.corner = "w, ms",
          .columns = {"full_pool_cast", "native_fp8"},
          .instead = "best",
          .rows = {{"context 1k",
                    {{"66.10"}, {"0.2120", "312 x", Style::good, "[298, 327]"}},
                    "native_fp8 312 x"}}};
}

TEST(Text, NamesAPointWithoutSayingItsAxisTwice) {
  EXPECT_EQ(place_text("single_stream", "context 4k"), "single_stream context 4k");
  EXPECT_EQ(place_text("concurrency", "concurrency 8"), "concurrency 8");
  EXPECT_EQ(place_text("pool", "pool_tokens 64k"), "pool pool_tokens 64k");
  EXPECT_EQ(place_text("single_stream", ""), "single_stream");
}

TEST(TextMatrix, ShowsEverythingWhereItFits) {
  EXPECT_EQ(lay_out(two_columns(), 80, false),
            (std::vector<std::string>{"w, ms       full_pool_cast               native_fp8",
                                      "context 1k           66.10  0.2120 312 x [298, 327]"}));
}

TEST(TextMatrix, LeavesOutIntervalsThenBreaksTitles) {
  EXPECT_EQ(lay_out(two_columns(), 45, false),
            (std::vector<std::string>{"w, ms       full_pool_cast    native_fp8",
                                      "context 1k           66.10  0.2120 312 x"}));
  EXPECT_EQ(lay_out(two_columns(), 36, false),
            (std::vector<std::string>{"            full_pool        native",
                                      "w, ms            cast           fp8",
                                      "context 1k      66.10  0.2120 312 x"}));
}

TEST(TextMatrix, StacksBlocksWhereNothingElseFits) {
  EXPECT_EQ(lay_out(two_columns(), 26, false),
            (std::vector<std::string>{"w, ms       full_pool_cast", "context 1k           66.10",
                                      "w, ms         native_fp8", "context 1k  0.2120 312 x"}));
}

}  // namespace
}  // namespace bench
