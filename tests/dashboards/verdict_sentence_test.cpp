#include "dashboards/verdict_sentence.h"

#include <gtest/gtest.h>

#include "tests/dashboards/compared.h"

namespace bench {
namespace {

using testing::compare_report;

Comparison without(std::initializer_list<Word> words) {
  Comparison comparison = compare_report().comparison;
  for (const Word word : words)
    std::erase_if(comparison.rows, [&](const Row& row) { return row.verdict.word == word; });
  return comparison;
}

TEST(VerdictSentence, NamesWhatRegressedByHowMuchAndWhere) {
  EXPECT_EQ(verdict_sentence(compare_report().comparison),
            "1 of 27 cases regressed: single_stream context 16k, pool_tokens 495552 native_fp8 "
            "+4.2 % [+4.1, +4.3], all of it in attention. Not judged: 1 invalid, 1 missing, 1 "
            "inconclusive.");
}

TEST(VerdictSentence, SaysThatNothingRegressed) {
  EXPECT_EQ(verdict_sentence(
                without({Word::regressed, Word::invalid, Word::missing, Word::inconclusive})),
            "Nothing regressed. 1 of 23 cases improved: single_stream context 16k, pool_tokens "
            "495552 gather_cast -10.0 % [-10.1, -10.0], mostly in cast (60 %).");
  EXPECT_EQ(verdict_sentence(without({Word::regressed, Word::improved})),
            "Nothing is shown to have changed in 22 of 25 cases. Not judged: 1 invalid, 1 missing, "
            "1 inconclusive.");
  EXPECT_EQ(verdict_sentence(without({Word::regressed, Word::improved, Word::invalid, Word::missing,
                                      Word::inconclusive})),
            "Nothing is shown to have changed in 22 cases.");
}

TEST(VerdictSentence, SaysWhyNothingWasCompared) {
  EXPECT_EQ(verdict_sentence({}), "The two runs have no case in common.");
  Comparison refused;
  refused.refused = "the machines differ: gpu0.model (H200, now B200)";
  EXPECT_EQ(verdict_sentence(refused),
            "Not compared: the machines differ: gpu0.model (H200, now B200).");
  EXPECT_EQ(verdict_sentence(without({Word::regressed, Word::improved, Word::unchanged})),
            "None of 3 cases could be judged: 1 invalid, 1 missing, 1 inconclusive.");
}

TEST(VerdictSentence, SaysWhyNoneCouldBeJudgedWhereAllHaveTheSameReason) {
  Comparison comparison = without({Word::regressed, Word::improved, Word::invalid, Word::missing});
  for (Row& row : comparison.rows) {
    row.verdict.word = Word::inconclusive;
    row.verdict.reason = "3 replicates a side allow no 95 % interval";
  }
  EXPECT_EQ(verdict_sentence(comparison),
            "None of 23 cases could be judged: 23 inconclusive (3 replicates a side allow no 95 % "
            "interval).");
}

TEST(VerdictSentence, CallsTheGravestWordTheWorst) {
  EXPECT_EQ(worst_word(compare_report().comparison), Word::regressed);
  EXPECT_EQ(worst_word(without({Word::regressed})), Word::invalid);
  EXPECT_EQ(worst_word({}), Word::invalid);
}

TEST(Attribution, FollowsTheSharesOfTheChange) {
  Row row{.metric = "tpot_s"};
  EXPECT_EQ(attribution(row), "");
  row.stages = {{.stage = "cast", .change_s = 3e-3}, {.stage = "attention", .change_s = 1e-3}};
  EXPECT_EQ(attribution(row), "mostly in cast (75 %)");
  row.stages[1].change_s = 0.2e-3;
  EXPECT_EQ(attribution(row), "all of it in cast");
  row.stages = {{.stage = "cast", .change_s = -1e-3},
                {.stage = "attention", .change_s = -1e-3},
                {.stage = "unattributed", .change_s = -1e-3}};
  EXPECT_EQ(attribution(row), "spread over the stages");
  row.stages[2].change_s = -30e-3;
  EXPECT_EQ(attribution(row), "all of it in time of no stage");
  row.metric = "ttft_s";
  EXPECT_EQ(attribution(row), "");
}

}  // namespace
}  // namespace bench
