#include "results/json_writer.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <string_view>

#include "harness/error.h"
#include "results/json.h"

namespace bench {
namespace {

using namespace std::string_view_literals;

TEST(JsonWriter, WritesObjectsAndArraysWithCommasWhereTheyBelong) {
  JsonWriter out;
  out.begin_object().member("a", 1).key("b").begin_array().value("x").value(true).null();
  out.begin_object().end_object().end_array().member("c", 0.1).end_object();
  EXPECT_EQ(out.take(), R"({"a":1,"b":["x",true,null,{}],"c":0.1})");
}

TEST(JsonWriter, EscapesWhatStrictParsersRefuse) {
  JsonWriter out;
  out.value("quote \" back \\ line \n bell \x07 nul \0 umlaut ü"sv);
  EXPECT_EQ(out.take(), R"("quote \" back \\ line \n bell \u0007 nul \u0000 umlaut ü")");
}

TEST(JsonWriter, ReplacesBytesThatAreNoUtf8) {
  for (const char* bytes :
       {"\xff", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
    JsonWriter out;
    out.value(bytes);
    const std::string text = Json::parse(out.take(), "written").text();
    EXPECT_EQ(text.substr(0, 3), "\xef\xbf\xbd");
    EXPECT_EQ(text.size(), 3 * std::string(bytes).size());
  }
}

TEST(JsonWriter, EveryFiniteDoubleReadsBackToTheSameBits) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 10'000; ++i) {
    const double number = std::bit_cast<double>(random());
    if (!std::isfinite(number)) continue;
    JsonWriter out;
    out.value(number);
    EXPECT_EQ(Json::parse(out.take(), "written").number(), number);
  }
}

TEST(JsonWriter, WritesAMillionTokenIds) {
  std::vector<std::int32_t> ids(1'000'000, 9999);
  ids.front() = -2147483647 - 1;
  JsonWriter out;
  const std::string text = out.begin_object()
                               .member("prompt", std::span(std::as_const(ids)))
                               .member("n", 1)
                               .end_object()
                               .take();
  EXPECT_TRUE(text.starts_with(R"({"prompt":[-2147483648,9999,9999,)"));
  EXPECT_TRUE(text.ends_with(R"(9999],"n":1})"));
  EXPECT_EQ(text.size(), std::string(R"({"prompt":[-2147483648],"n":1})").size() + 999'999 * 5);
}

TEST(JsonWriter, RefusesNaNAndInfinityByTheNameOfTheMember) {
  for (const double number : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    JsonWriter out;
    out.begin_object();
    try {
      out.member("tpot_s", number);
      FAIL() << number << " was written";
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("tpot_s is ")) << error.what();
    }
  }
}

}  // namespace
}  // namespace bench
