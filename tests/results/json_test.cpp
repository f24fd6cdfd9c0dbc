#include "results/json.h"

#include <gtest/gtest.h>

#include "tests/results/errors.h"

namespace bench {
namespace {

std::string parse_error(std::string_view text) {
  return error_of([&] { return Json::parse(text, "a.json"); });
}

TEST(Json, ReadsEveryKindOfValue) {
  const Json json = Json::parse(
      R"({"text": "Größe\n", "count": -3, "number": 64.6e-3, "yes": true, "none": null, "list": [1, 2.5]})",
      "a.json");
  EXPECT_EQ(json.at("text").text(), "Größe\n");
  EXPECT_EQ(json.at("count").count(), -3);
  EXPECT_EQ(json.at("number").number(), 0.0646);
  EXPECT_TRUE(json.at("yes").truth());
  EXPECT_FALSE(json.find("none").has_value());
  EXPECT_FALSE(json.find("nothing").has_value());
  EXPECT_EQ(json.at("list").numbers(), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(json.members().size(), 6u);
}

TEST(Json, APartOutlivesTheDocumentItCameFrom) {
  const auto part = [] {
    return Json::parse(R"({"a": [{"b": "kept"}]})", "a.json").at("a").items();
  }();
  EXPECT_EQ(part.at(0).at("b").text(), "kept");
}

TEST(Json, NamesThePlaceOfWhatIsMissingOrOfTheWrongKind) {
  const Json json = Json::parse(R"({"runs": [{"replicate": 1.5}]})", "a.json");
  const Json run = json.at("runs").items().at(0);
  EXPECT_EQ(error_of([&] { return run.at("replicate").count(); }),
            "a.json: runs[0].replicate: a whole number is needed");
  EXPECT_EQ(error_of([&] { return run.at("status"); }),
            "a.json: runs[0]: a member 'status' is needed");
  EXPECT_EQ(error_of([&] { return json.items(); }), "a.json: an array is needed");
  EXPECT_EQ(error_of([&] { return Json::parse("18446744073709551615", "a.json").count(); }),
            "a.json: a whole number is needed");
}

TEST(Json, RefusesWhatIsNoJsonWithItsLineAndColumn) {
  EXPECT_EQ(parse_error("{\n  \"real_time\": NaN\n}"),
            "a.json:2:16: not JSON: NaN is not a JSON number");
  EXPECT_EQ(parse_error("[1, -Infinity]"), "a.json:1:5: not JSON: -Infinity is not a JSON number");
  EXPECT_EQ(parse_error("[1, inf]"), "a.json:1:5: not JSON: inf is not a JSON number");
  EXPECT_EQ(parse_error("{\"a\": 1"),
            "a.json:1:8: not JSON: the text ends in the middle: was its writer stopped?");
  EXPECT_EQ(parse_error(""),
            "a.json:1:1: not JSON: the text ends in the middle: was its writer stopped?");
  EXPECT_EQ(parse_error("{} {}"), "a.json:1:4: not JSON: '{' is not expected here");
  EXPECT_EQ(parse_error("[1,]"), "a.json:1:4: not JSON: ']' is not expected here");
  EXPECT_EQ(parse_error("[1e999]"), "a.json: not JSON: a number is too large for a double");
}

TEST(Json, ATextOfDeepNestingDoesNotOverflowTheStack) {
  const std::string deep(200'000, '[');
  EXPECT_NE(parse_error(deep).find("ends in the middle"), std::string::npos);
  EXPECT_NO_THROW(Json::parse(deep + std::string(200'000, ']'), "a.json"));
}

}  // namespace
}  // namespace bench
