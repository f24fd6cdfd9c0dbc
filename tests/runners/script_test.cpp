#include "runners/script.h"

#include <gtest/gtest.h>

#include "harness/error.h"

namespace bench {
namespace {

TEST(Script, AddsTermsWithParametersAndStages) {
  const ScriptOutcome outcome = script_outcome(
      "cast = 2ns*pool_tokens@cast + 1ms@attention + 3us ~1%; native = 1ms", "cast", 0);
  ASSERT_EQ(outcome.terms.size(), 3U);
  EXPECT_EQ(outcome.noise, 0.01);
  EXPECT_EQ(outcome.terms[0].stage, "cast");
  EXPECT_EQ(outcome.terms[2].stage, "");
  Parameters parameters;
  parameters.pool_tokens = 1000;
  EXPECT_DOUBLE_EQ(term_time(outcome.terms[0], parameters).count(), 2e-6);
  EXPECT_DOUBLE_EQ(term_time(outcome.terms[1], parameters).count(), 1e-3);
}

TEST(Script, PrefersTheEntryOfTheReplicate) {
  const std::string_view script = "a = 1ms; a#1 = crash";
  EXPECT_EQ(script_outcome(script, "a", 0).word, "");
  EXPECT_EQ(script_outcome(script, "a", 1).word, "crash");
}

TEST(Script, SaysWhatItCannotRead) {
  const auto complaint = [](std::string_view script) -> std::string {
    try {
      script_outcome(script, "a", 0);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(complaint("b = 1ms"), "script: nothing for variant 'a'");
  EXPECT_EQ(complaint("a"), "script: 'a' has no '=' (write variant = 10ms)");
  EXPECT_EQ(complaint("a = 1ms*colour"), "script: no parameter 'colour'");
  EXPECT_EQ(complaint("a = soon"), "'soon' is not a time (write 250us, 64.6ms, 1.5s, 20m, 2h)");
}

}  // namespace
}  // namespace bench
