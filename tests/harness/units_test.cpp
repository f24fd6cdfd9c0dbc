#include "harness/units.h"

#include <gtest/gtest.h>

#include "harness/error.h"

namespace bench {
namespace {

TEST(ParseCount, ReadsPlainAndBinaryCounts) {
  EXPECT_EQ(parse_count("495552"), 495552);
  EXPECT_EQ(parse_count("4k"), 4096);
  EXPECT_EQ(parse_count("1M"), 1048576);
  EXPECT_EQ(parse_count("1.5M"), 1572864);
  EXPECT_EQ(parse_count("0"), 0);
}

TEST(ParseCount, RefusesWhatIsNotACount) {
  for (const char* text :
       {"", "k", "-4k", "+4", "4 k", "4kk", "4q", "1e999", "nan", "inf", "0.3", "1e19"}) {
    EXPECT_THROW(parse_count(text), Error) << text;
  }
}

TEST(ParseCount, SaysWhatWouldBeRight) {
  try {
    parse_count("4q");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "'4q' is not a count (write 495552, 4k, 1.5M)");
    EXPECT_EQ(error.exit(), Exit::usage);
  }
}

TEST(ParseBytes, TellsBinaryFromDecimalUnits) {
  EXPECT_EQ(parse_bytes("512"), 512);
  EXPECT_EQ(parse_bytes("64MiB"), 64LL << 20);
  EXPECT_EQ(parse_bytes("25.5GiB"), 27380416512);
  EXPECT_EQ(parse_bytes("22.3GB"), 22300000000);
}

TEST(ParseSeconds, NeedsAUnit) {
  EXPECT_DOUBLE_EQ(parse_seconds("64.6ms").count(), 0.0646);
  EXPECT_DOUBLE_EQ(parse_seconds("250us").count(), 250e-6);
  EXPECT_DOUBLE_EQ(parse_seconds("20m").count(), 1200);
  EXPECT_DOUBLE_EQ(parse_seconds("30d").count(), 2592000);
  EXPECT_THROW(parse_seconds("64.6"), Error);
}

TEST(ParseFraction, ReadsPercentAndPlain) {
  EXPECT_DOUBLE_EQ(parse_fraction("2%"), 0.02);
  EXPECT_DOUBLE_EQ(parse_fraction("0.02"), 0.02);
  EXPECT_THROW(parse_fraction("2 percent"), Error);
}

TEST(Format, KeepsFourSignificantDigits) {
  EXPECT_EQ(format_seconds(Seconds(0.0956)), "95.60 ms");
  EXPECT_EQ(format_seconds(Seconds(9.9999e-3)), "10.00 ms");
  EXPECT_EQ(format_seconds(Seconds(5.3e-6)), "5.300 us");
  EXPECT_EQ(format_seconds(Seconds(0)), "0 s");
  EXPECT_EQ(format_bandwidth(4.07e12), "4.070 TB/s");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_percent(0.0412), "+4.1 %");
}

TEST(Format, CountsInBinaryOnlyWhenExact) {
  EXPECT_EQ(format_count(4096), "4k");
  EXPECT_EQ(format_count(495552), "495552");
  EXPECT_EQ(format_count(1048576), "1M");
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(parse_count(format_count(131072)), 131072);
}

}  // namespace
}  // namespace bench
