#include "runners/http/prompts.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace bench {
namespace {

TEST(Prompts, AreEqualForEqualNumbersAndDifferFromTheFirstTokens) {
  const PromptSpec spec{.seed = 7, .tokens = 64};
  EXPECT_EQ(prompt_ids(spec, 3), prompt_ids(spec, 3));
  const auto a = prompt_ids(spec, 3);
  const auto b = prompt_ids(spec, 4);
  EXPECT_LE(std::ranges::mismatch(a, b).in1 - a.begin(), 2);
  EXPECT_NE(prompt_ids({.seed = 8, .tokens = 64}, 3), a);
}

TEST(Prompts, StayInsideTheRangeAndFillIt) {
  const auto ids = prompt_ids({.seed = 1, .tokens = 100000}, 0);
  EXPECT_EQ(ids.size(), 100000u);
  EXPECT_EQ(*std::ranges::min_element(ids), kLowestId);
  EXPECT_EQ(*std::ranges::max_element(ids), kHighestId - 1);
  for (const std::int32_t id :
       prompt_ids({.seed = 1, .tokens = 1000, .lowest_id = 5, .highest_id = 7}, 0)) {
    ASSERT_TRUE(id == 5 || id == 6);
  }
}

TEST(Prompts, ShareExactlyTheAskedBeginning) {
  const PromptSpec spec{.seed = 7, .tokens = 1000, .shared_tokens = 600};
  const auto a = prompt_ids(spec, 0);
  const auto b = prompt_ids(spec, 1);
  EXPECT_TRUE(std::equal(a.begin(), a.begin() + 600, b.begin()));
  EXPECT_LE(std::mismatch(a.begin() + 600, a.end(), b.begin() + 600).first - a.begin(), 602);
}

TEST(Prompts, OfTextHaveTheAskedNumberOfWords) {
  const std::string text = prompt_text({.seed = 1, .tokens = 50}, 2);
  EXPECT_EQ(std::ranges::count(text, ' '), 49);
  EXPECT_NE(text, prompt_text({.seed = 1, .tokens = 50}, 3));
}

TEST(Prompts, CorrectTheNumberOfWordsByTheServersCount) {
  EXPECT_EQ(words_for(1000, 64, 64 + 9, 256, 256 + 9), 991);  // a template of nine tokens
  EXPECT_EQ(words_for(1000, 100, 200, 200, 400), 500);        // two tokens a word
  EXPECT_EQ(words_for(1000, 64, 10, 256, 10), 1000);          // no sense in it
  EXPECT_EQ(words_for(5, 64, 73, 256, 265), 1);
}

}  // namespace
}  // namespace bench
