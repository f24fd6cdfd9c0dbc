#include "workloads/parameters.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

#include "harness/error.h"
#include "tests/workloads/other_value.h"

namespace bench {
namespace {

std::string complaint_of(std::string_view name, std::string_view text) {
  Parameters parameters;
  try {
    set_from_text(parameters, *find_parameter(name), text);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::usage);
    return error.what();
  }
  return "";
}

Parameters with(std::string_view name, std::string_view text) {
  Parameters parameters;
  set_from_text(parameters, *find_parameter(name), text);
  return parameters;
}

TEST(Parameters, HaveNamesThatAreUniqueAndSpelledLikeKeys) {
  std::set<std::string_view> names;
  for (const auto& info : parameter_table()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(info.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos);
    EXPECT_FALSE(info.help.empty()) << info.name;
    EXPECT_EQ(find_parameter(info.name), &info);
  }
  EXPECT_EQ(find_parameter("contxt"), nullptr);
}

TEST(Parameters, SetWhatTheyGet) {
  for (const auto& info : parameter_table()) {
    Parameters changed;
    const ParameterValue value = other_value(info);
    info.set(changed, value);
    EXPECT_EQ(info.get(changed), value) << info.name;
    EXPECT_NE(info.get(Parameters{}), value) << info.name << " does not reach a member of its own";
    for (const auto& other : parameter_table()) {
      if (&other == &info) continue;
      EXPECT_EQ(other.get(changed), other.get(Parameters{})) << other.name;
    }
  }
}

TEST(Parameters, HaveDefaultsInsideTheirRanges) {
  for (const auto& info : parameter_table()) {
    Parameters copy;
    EXPECT_NO_THROW(info.set(copy, info.get(Parameters{}))) << info.name;
  }
}

TEST(Parameters, ReadHumanNumbers) {
  EXPECT_EQ(with("context", "4k").context, 4096);
  EXPECT_EQ(with("pool_tokens", "495552").pool_tokens, 495552);
  EXPECT_EQ(with("k_scale", "0.47").k_scale, 0.47);
  EXPECT_EQ(with("cached_fraction", "90%").cached_fraction, 0.9);
  EXPECT_EQ(with("placement", "contiguous").placement, Placement::contiguous);
  EXPECT_EQ(with("launch", "eager").launch, Launch::eager);
  EXPECT_EQ(with("served_model", "qwen3:4b").served_model, "qwen3:4b");
}

TEST(Parameters, ReadABareTimeInTheUnitOfTheName) {
  EXPECT_DOUBLE_EQ(with("rest_of_step_ms", "31.0").rest_of_step_s, 0.031);
  EXPECT_DOUBLE_EQ(with("rest_of_step_ms", "31ms").rest_of_step_s, 0.031);
  EXPECT_DOUBLE_EQ(with("rest_of_step_ms", "0.1s").rest_of_step_s, 0.1);
  EXPECT_DOUBLE_EQ(with("duration_s", "90").duration_s, 90);
  EXPECT_DOUBLE_EQ(with("duration_s", "2m").duration_s, 120);
}

TEST(Parameters, AreShownAsPeopleWriteThem) {
  EXPECT_EQ(to_text(with("context", "4096"), *find_parameter("context")), "4k");
  EXPECT_EQ(to_text(with("pool_tokens", "495552"), *find_parameter("pool_tokens")), "495552");
  EXPECT_EQ(to_text(with("rest_of_step_ms", "31"), *find_parameter("rest_of_step_ms")), "31.00 ms");
  EXPECT_EQ(to_text(with("k_scale", "0.47"), *find_parameter("k_scale")), "0.47");
  EXPECT_EQ(to_text(Parameters{}, *find_parameter("launch")), "graph");
}

TEST(Parameters, SayWhatIsWrongAndWhatWouldBeRight) {
  EXPECT_EQ(complaint_of("context", "4x"), "context: '4x' is not a count (write 495552, 4k, 1.5M)");
  EXPECT_EQ(complaint_of("context", "0"), "context: 0 is out of range (1 to 128M)");
  EXPECT_EQ(complaint_of("context", "-1"), "context: '-1' is not a count (write 495552, 4k, 1.5M)");
  EXPECT_EQ(complaint_of("heads", "5000"), "heads: 5000 is out of range (1 to 4k)");
  EXPECT_EQ(complaint_of("placement", "random"),
            "placement: no choice 'random' (there are: scattered, contiguous)");
  EXPECT_EQ(complaint_of("k_scale", "big"), "k_scale: 'big' is not a number (write 1.5)");
  EXPECT_EQ(complaint_of("k_scale", "inf"), "k_scale: 'inf' is not a number (write 1.5)");
  EXPECT_EQ(complaint_of("cached_fraction", "101%"),
            "cached_fraction: 1.01 is out of range (0 to 1)");
  EXPECT_EQ(complaint_of("script", std::string(4097, 'x')), "script: longer than 4096 bytes");
}

TEST(Parameters, RefuseValuesOfAnotherType) {
  Parameters parameters;
  EXPECT_THROW(find_parameter("context")->set(parameters, 4096.0), Error);
  EXPECT_THROW(find_parameter("k_scale")->set(parameters, std::string("1")), Error);
  EXPECT_THROW(find_parameter("k_scale")->set(parameters, std::numeric_limits<double>::quiet_NaN()),
               Error);
  EXPECT_THROW(find_parameter("model")->set(parameters, std::int64_t{5}), Error);
  EXPECT_THROW(find_parameter("launch")->set(parameters, std::int64_t{0}), Error);
}

}  // namespace
}  // namespace bench
