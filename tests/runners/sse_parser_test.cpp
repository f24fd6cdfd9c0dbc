#include "runners/http/sse_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bench {
namespace {

// Writes down all it hears: "type|data|id", "# comment", "? unknown line".
class Notes : public SseHandler {
 public:
  void on_event(const SseEvent& event) override {
    lines.push_back(std::string(event.type) + "|" + std::string(event.data) + "|" +
                    std::string(event.id));
  }
  void on_comment(std::string_view text) override { lines.push_back("#" + std::string(text)); }
  void on_unknown_line(std::string_view line) override {
    lines.push_back("? " + std::string(line));
  }
  std::vector<std::string> lines;
};

std::vector<std::string> parse(const std::string& bytes, std::size_t piece = 0) {
  Notes notes;
  SseParser parser;
  if (piece == 0) piece = bytes.size() + 1;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    // A copy of exactly the piece, so that reading past it is seen by the sanitizer.
    const std::vector<char> exact(
        bytes.begin() + static_cast<std::ptrdiff_t>(at),
        bytes.begin() + static_cast<std::ptrdiff_t>(std::min(at + piece, bytes.size())));
    parser.feed({exact.data(), exact.size()}, notes);
  }
  parser.finish(notes);
  return notes.lines;
}

using Lines = std::vector<std::string>;

// Every rule at once; the bytes of each are cut at every place below.
const std::string kEverything =
    "\xEF\xBB\xBF: ping\r\n"
    "data: {\"text\":\"a\"}\n\n"
    "data:no space\r\rdata:  two spaces\r\n\r\n"
    "event: annotation\nid: 7\ndata: first\ndata: second\n\n"
    "data\n\n"
    "data: \xF0\x9F\x98\x80 caf\xC3\xA9\n\n"
    "retry: 10\n\n"
    "error: {\"code\":500}\n\n"
    "{\"error\":\"bare\"}\n"
    "data: [DONE]\n\n"
    "data: cut off";

const Lines kEveryLine = {"# ping",
                          "|{\"text\":\"a\"}|",
                          "|no space|",
                          "| two spaces|",
                          "annotation|first\nsecond|7",
                          "||7",
                          "|\xF0\x9F\x98\x80 caf\xC3\xA9|7",
                          "? error: {\"code\":500}",
                          "? {\"error\":\"bare\"}",
                          "|[DONE]|7"};

TEST(SseParser, FollowsEveryRuleOfTheStandard) { EXPECT_EQ(parse(kEverything), kEveryLine); }

TEST(SseParser, GivesTheSameEventsHoweverTheBytesAreCut) {
  for (const std::size_t piece : {1, 2, 3, 5, 7, 64})
    EXPECT_EQ(parse(kEverything, piece), kEveryLine);
}

TEST(SseParser, GivesTheSameEventsAtEveryPairOfCuts) {
  for (std::size_t first = 0; first <= kEverything.size(); ++first) {
    for (std::size_t second = first; second <= kEverything.size(); ++second) {
      Notes notes;
      SseParser parser;
      const std::string_view all = kEverything;
      parser.feed(all.substr(0, first), notes);
      parser.feed(all.substr(first, second - first), notes);
      parser.feed(all.substr(second), notes);
      parser.finish(notes);
      ASSERT_EQ(notes.lines, kEveryLine) << "cut at " << first << " and " << second;
    }
  }
}

TEST(SseParser, ReadsEachLineEndAlike) {
  const Lines expected = {"|a\nb|", "|c|"};
  EXPECT_EQ(parse("data: a\ndata: b\n\ndata: c\n\n"), expected);
  EXPECT_EQ(parse("data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n"), expected);
  EXPECT_EQ(parse("data: a\rdata: b\r\rdata: c\r\r"), expected);
  EXPECT_EQ(parse("data: a\rdata: b\n\ndata: c\r\n\n"), expected);
}

TEST(SseParser, DispatchesAtALoneCarriageReturnWithoutWaitingForMore) {
  Notes notes;
  SseParser parser;
  parser.feed("data: now\r\r", notes);
  EXPECT_EQ(notes.lines, Lines{"|now|"});
  parser.feed("\ndata: next\n\n", notes);
  EXPECT_EQ(notes.lines, (Lines{"|now|", "|next|"}));
}

TEST(SseParser, KeepsAnEmptyDataLineButDispatchesNothingWithoutOne) {
  EXPECT_EQ(parse("data:\n\n"), Lines{"||"});
  EXPECT_EQ(parse("data:\ndata:\n\n"), Lines{"|\n|"});
  EXPECT_EQ(parse("event: ping\n\n\n\n"), Lines{});
}

TEST(SseParser, ForgetsTheTypeButNotTheIdAfterAnEvent) {
  EXPECT_EQ(parse("event: e\nid: 1\ndata: x\n\ndata: y\n\n"), (Lines{"e|x|1", "|y|1"}));
  EXPECT_EQ(parse("event: lost\n\ndata: y\n\n"), Lines{"|y|"});
}

TEST(SseParser, TakesAPartialByteOrderMarkForText) {
  EXPECT_EQ(parse("\xEF\xBB"), Lines{"? \xEF\xBB"});
  EXPECT_EQ(parse("\xEF\xBBx: 1\n"), Lines{"? \xEF\xBBx: 1"});
  EXPECT_EQ(parse("\xEF\xBB\xBF\xEF\xBB\xBF"
                  "data: x\n"),
            Lines{"? \xEF\xBB\xBF"
                  "data: x"});
}

TEST(SseParser, CountsWhatTheStandardIgnores) {
  Notes notes;
  SseParser parser;
  parser.feed(std::string_view("id: a\0b\nretry: soon\nretry:\nfoo: 1\nbar\ndata: x", 45), notes);
  parser.finish(notes);
  EXPECT_EQ(parser.anomalies().bad_values, 3);
  EXPECT_EQ(parser.anomalies().unknown_lines, 2);
  EXPECT_EQ(parser.anomalies().truncated_events, 1);
  EXPECT_EQ(notes.lines, (Lines{"? foo: 1", "? bar"}));
}

TEST(SseParser, DoesNotCallACleanEndTruncated) {
  Notes notes;
  SseParser parser;
  parser.feed("data: x\n\n: bye\n", notes);
  parser.finish(notes);
  EXPECT_EQ(parser.anomalies().total(), 0);
}

TEST(SseParser, ReadsA32MebibyteEventAndLetsItsMemoryGo) {
  const std::string text(std::size_t{32} << 20, 'x');
  class Sizes : public SseHandler {
   public:
    void on_event(const SseEvent& event) override { bytes = event.data.size(); }
    std::size_t bytes = 0;
  } sizes;
  SseParser parser;
  parser.feed("data: ", sizes);
  for (std::size_t at = 0; at < text.size(); at += 16384) {
    parser.feed(std::string_view(text).substr(at, 16384), sizes);
  }
  parser.feed("\n\n", sizes);
  EXPECT_EQ(sizes.bytes, text.size());
  EXPECT_EQ(parser.anomalies().total(), 0);
  EXPECT_LT(parser.buffered_bytes(), 64u << 10);
}

TEST(SseParser, DropsAnEventOverTheLimitAndReadsOn) {
  const std::string bytes = "data: " + std::string(200, 'x') + "\ndata: y\n\ndata: fine\n\n";
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    Notes notes;
    SseParser parser(100);
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      parser.feed(std::string_view(bytes).substr(at, piece), notes);
    }
    ASSERT_EQ(notes.lines, Lines{"|fine|"}) << "in pieces of " << piece;
    ASSERT_EQ(parser.anomalies().oversized_events, 1);
  }
}

}  // namespace
}  // namespace bench
