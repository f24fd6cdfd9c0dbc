#include "runners/http/stream_reader.h"

#include <gtest/gtest.h>

#include <cmath>

#include "runners/http/request_metrics.h"
#include "worked_stream.h"

namespace bench {
namespace {

using Reads = std::vector<std::pair<double, std::string>>;

std::string data(const std::string& json) { return "data: " + json + "\n\n"; }
std::string text(const std::string& words) {
  return data(R"({"choices":[{"text":")" + words + R"(","finish_reason":null}]})");
}
const std::string kFinish = data(R"({"choices":[{"text":"","finish_reason":"length"}]})");
const std::string kDone = "data: [DONE]\n\n";
std::string usage(int tokens) {
  return data(R"({"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":)" +
              std::to_string(tokens) + "}}");
}

std::vector<std::int32_t> deltas(const RequestRecord& record) {
  std::vector<std::int32_t> result;
  for (const StreamEvent& event : record.events) {
    if (event.tokens > 0) result.push_back(event.tokens);
  }
  return result;
}

using Deltas = std::vector<std::int32_t>;

TEST(StreamReader, GivesOneRecordForEverySplitOfAStream) {
  std::string all;
  for (const auto& [at, bytes] : worked_stream()) all += bytes;
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    const RequestRecord record =
        read_stream("vllm-chat", {{1, all.substr(0, cut)}, {2, all.substr(cut)}}, 8);
    ASSERT_EQ(record.failure, Failure::none) << "cut at " << cut << ": " << record.error;
    ASSERT_EQ(deltas(record), (Deltas{1, 3, 3, 1}));
    ASSERT_EQ(record.anomalies, 0);
    ASSERT_EQ(record.prompt_got, 11);
    ASSERT_EQ(record.finish_reason, "length");
  }
}

TEST(StreamReader, StampsEventsWithTheTimeOfTheirRead) {
  const RequestRecord record = read_stream(
      "openai", {{1.0, text("a") + text("b")}, {2.0, text("c") + kFinish + usage(3) + kDone}});
  ASSERT_EQ(deltas(record), (Deltas{1, 1, 1}));
  EXPECT_EQ(record.events[0].time, Seconds(1));
  EXPECT_EQ(record.events[1].time, Seconds(1));
  EXPECT_EQ(record.events[2].time, Seconds(2));
  EXPECT_EQ(token_gaps(record)[0].gap, Seconds(0));
}

TEST(StreamReader, NeverTakesAGuessForACount) {
  const RequestRecord guessed =
      read_stream("openai", {{1, text("a")}, {2, text("b") + kFinish + kDone}});
  EXPECT_EQ(guessed.failure, Failure::none);
  EXPECT_EQ(guessed.output_got, kUnknown);
  EXPECT_EQ(guessed.events[0].source, CountSource::assumed);
  EXPECT_FALSE(tpot(guessed).has_value());
  EXPECT_EQ(tpot_missing(guessed), "the server gave no token count");
  const RequestRecord counted =
      read_stream("openai", {{1, text("a")}, {3, text("b") + kFinish + usage(5) + kDone}});
  EXPECT_EQ(counted.output_got, 5);
  EXPECT_EQ(counted.output_source, CountSource::usage);
  EXPECT_NEAR(tpot(counted)->count(), 2.0 / 4, 1e-12);
}

// Some count at the end alone, and say 0 until then; some say nothing that can be.
TEST(StreamReader, TakesNoZeroBesideTextForACount) {
  const auto counting = [](const std::string& count) {
    return data(R"({"choices":[{"text":"w","finish_reason":null}],"usage":{"completion_tokens":)" +
                count + "}}");
  };
  const std::string zeros = counting("0");
  const RequestRecord late =
      read_stream("vllm", {{1, zeros}, {2, zeros}, {3, zeros + kFinish + usage(6) + kDone}}, 6);
  EXPECT_EQ(late.failure, Failure::none) << late.error;
  EXPECT_EQ(deltas(late), (Deltas{1, 1, 1}));
  EXPECT_EQ(late.output_got, 6);
  EXPECT_NEAR(tpot(late)->count(), 2.0 / 5, 1e-12);
  for (const char* count : {"0", "-3", "null", "\"4\"", "4.5", "true", "{}"}) {
    const std::string odd = counting(count);
    const RequestRecord never = read_stream("vllm", {{1, odd}, {2, odd}, {3, kFinish + kDone}}, 2);
    EXPECT_EQ(never.failure, Failure::none) << count << never.error;
    EXPECT_EQ(never.output_got, kUnknown) << count;
    EXPECT_FALSE(tpot(never).has_value()) << count;
  }
}

TEST(StreamReader, RefusesARateForOneArrival) {
  const RequestRecord record =
      read_stream("openai", {{1, text("all of it at once") + kFinish + usage(500) + kDone}}, 500);
  EXPECT_EQ(record.failure, Failure::none);
  EXPECT_FALSE(tpot(record).has_value());
  EXPECT_EQ(tpot_missing(record), "one arrival of tokens has no rate");
}

TEST(StreamReader, DoesNotCountTheFinalUsageBesideTheFinishReasonAsTokens) {
  const std::string finish = data(
      R"({"choices":[{"text":"","finish_reason":"length"}],"usage":{"prompt_tokens":5,"completion_tokens":8}})");
  const RequestRecord record =
      read_stream("openai", {{1, text("a")}, {2, text("b c")}, {3, finish + kDone}});
  EXPECT_EQ(deltas(record), (Deltas{1, 1}));
  EXPECT_EQ(record.output_got, 8);
}

TEST(StreamReader, CountsReasoningAndHiddenTokensByTheServersCount) {
  const auto chunk = [](const std::string& delta, int tokens) {
    return data(R"({"choices":[{"delta":)" + delta + R"(}],"usage":{"completion_tokens":)" +
                std::to_string(tokens) + "}}");
  };
  const RequestRecord record = read_stream(
      "vllm-chat", {{1, chunk(R"({"role":"assistant","reasoning_content":"hm"})", 1)},
                    {2, chunk(R"({"reasoning":"so"})", 2)},
                    {3, chunk(R"({"content":""})", 3)},  // half of a character: a token, no text
                    {4, chunk(R"({"content":"x"})", 4)},
                    {5, chunk(R"({"tool_calls":[{"index":0}]})", 7)},
                    {6, data(R"({"choices":[{"delta":{},"finish_reason":"stop"}]})") + kDone}});
  EXPECT_EQ(deltas(record), (Deltas{1, 1, 1, 1, 3}));
  EXPECT_EQ(record.events[0].kind, EventKind::reasoning);
  EXPECT_EQ(record.events[3].kind, EventKind::text);
  EXPECT_EQ(record.output_got, 7);
}

// What llama.cpp sends on its chat route: the total after the finish reason, and no text for bytes
// that never became valid UTF-8.
TEST(StreamReader, CountsTokensWithoutTextByTheirFinishReason) {
  const auto chunk = [](const std::string& choices, int tokens) {
    return data(R"({"choices":[)" + choices + R"(],"timings":{"predicted_n":)" +
                std::to_string(tokens) + "}}");
  };
  const std::string word = R"({"delta":{"content":"a"},"finish_reason":null})";
  const RequestRecord record = read_stream(
      "llama.cpp-chat",
      {{1, chunk(word, 1)},
       {2, chunk(word, 2)},
       {5, data(R"({"choices":[{"delta":{},"finish_reason":"length"}]})") + chunk("", 5) + kDone}},
      5);
  EXPECT_EQ(record.failure, Failure::none);
  EXPECT_EQ(deltas(record), (Deltas{1, 1, 3}));
  EXPECT_EQ(tpot(record), Seconds(1));
  EXPECT_TRUE(deltas_are_known(record));
  EXPECT_EQ(token_gaps(record).back().gap, Seconds(3));
}

// The first event brings three tokens, and between them the server stood still for other prompts.
TEST(StreamReader, HoldsTheServersClockBesideTheSameTokens) {
  const auto chunk = [](const std::string& finish, int tokens, int ms) {
    return data(R"({"choices":[{"text":"a","finish_reason":)" + finish +
                R"(}],"timings":{"predicted_n":)" + std::to_string(tokens) + R"(,"predicted_ms":)" +
                std::to_string(ms) + "}}");
  };
  const RequestRecord record = read_stream("llama.cpp-completions",
                                           {{1, chunk("null", 3, 5000)},
                                            {2, chunk("null", 4, 6000)},
                                            {3, chunk(R"("length")", 5, 7000) + kDone}},
                                           5);
  EXPECT_EQ(tpot(record), Seconds(1));
  EXPECT_EQ(record.server_decode, Seconds(2));
  EXPECT_EQ(record.server_decode_tokens, 2);
}

TEST(StreamReader, FindsTheErrorFormOfEveryEngine) {
  const std::vector<std::pair<std::string, std::string>> forms = {
      {"vllm", data(R"({"error":{"message":"boom","type":"x","code":500}})") + kDone},
      {"sglang", data(R"({"error":{"message":"boom"}})") + kDone},
      {"sglang",
       data(
           R"({"meta_info":{"completion_tokens":2,"finish_reason":{"type":"abort","message":"boom"}}})")},
      {"tgi", "data:{\"error\":\"boom\",\"error_type\":\"generation\"}\n\n"},
      {"llama.cpp", data(R"({"error":{"code":500,"message":"boom"}})")},
      {"llama.cpp", "error: {\"code\":500,\"message\":\"boom\"}\n\n" + kDone},
      {"openai", "{\"error\":{\"message\":\"boom\"}}\n"},
      {"openai", "{\"error\":{\"message\":\"boom\"}}"},
      {"ollama", "{\"error\":\"boom\"}\n"},
      {"dynamo", "event: error\ndata: boom\n\n"},
      {"openai", "event: error\ndata: {\"error\":{\"message\":\"boom\"}}\n\n"},
      {"vllm", data(R"({"object":"error","message":"boom","code":400})")}};
  for (const auto& [dialect, bytes] : forms) {
    const RequestRecord record = read_stream(dialect, {{1, text("a")}, {2, bytes}});
    EXPECT_EQ(record.failure, Failure::error_event) << dialect << ": " << bytes;
    EXPECT_NE(record.error.find("boom"), std::string::npos) << dialect << ": " << record.error;
  }
}

TEST(StreamReader, NamesEveryWayToEndWithoutAnAnswer) {
  const auto failure = [](const std::string& dialect, const std::string& bytes, int asked = 0) {
    return read_stream(dialect, {{1, bytes}}, asked).failure;
  };
  EXPECT_EQ(failure("openai", ""), Failure::empty);
  EXPECT_EQ(failure("openai", kDone), Failure::empty);
  EXPECT_EQ(failure("openai", usage(0) + kDone), Failure::empty);
  EXPECT_EQ(failure("openai-chat", data(R"({"choices":[{"delta":{"role":"assistant"}}]})") + kDone),
            Failure::empty);
  EXPECT_EQ(failure("openai", "<html>log in</html>\n"), Failure::protocol);
  EXPECT_EQ(failure("openai", "<html>log in</html>"), Failure::protocol);
  EXPECT_EQ(failure("openai", R"({"choices":[{"text":"a"}],"usage":{"completion_tokens":1}})"),
            Failure::protocol);
  EXPECT_EQ(failure("openai", data("<html>") + kDone), Failure::empty);
  EXPECT_EQ(failure("openai", data("<html>")), Failure::protocol);
  EXPECT_EQ(failure("openai", text("a")), Failure::truncated);
  EXPECT_EQ(failure("openai", text("a") + "data: {\"cho"), Failure::truncated);
  EXPECT_EQ(failure("openai", text("a") + kFinish + usage(1) + kDone, 2), Failure::short_count);
  EXPECT_EQ(failure("openai", text("a") + kFinish), Failure::none);
  EXPECT_EQ(failure("openai", text("a") + kDone), Failure::none);
}

TEST(StreamReader, CountsWhatIsOddAndReadsOn) {
  const auto odd = [](const std::string& bytes) { return read_stream("openai", {{1, bytes}}); };
  EXPECT_EQ(odd(text("a") + kFinish).anomaly, "no [DONE]");
  EXPECT_EQ(odd(text("a") + kFinish + kDone + text("b")).anomaly, "data after the end mark");
  EXPECT_EQ(odd(text("a") + kFinish + kDone + kDone).anomaly, "a second [DONE]");
  EXPECT_EQ(odd(text("a") + data("not json") + kFinish + kDone).anomaly,
            "a message that is not JSON");
  EXPECT_EQ(odd(text("a") + "foo: bar\n\n" + kFinish + kDone).anomaly, "foo: bar");
  EXPECT_EQ(odd(": ping\n\n" + text("a") + ": ping\n\n" + kFinish + kDone).anomalies, 0);
}

TEST(StreamReader, ReadsMessagesPartedByOneLineFeed) {
  const std::string joined =
      "data: {\"choices\":[{\"text\":\"a\"}]}\ndata: {\"choices\":[{\"text\":\"b\"}]}\n" + kDone;
  const RequestRecord record = read_stream("openai", {{1, joined}});
  EXPECT_EQ(deltas(record), (Deltas{1, 1}));
  EXPECT_EQ(record.anomaly, "several messages in one event");
  EXPECT_EQ(record.failure, Failure::none);
}

TEST(StreamReader, StallsAreMeasuredFromDataAndNotFromPings) {
  RequestRecord record;
  JsonParser json;
  StreamReader reader(*Registry<Dialect>::find("openai"), json, record);
  reader.feed(Seconds(1), text("a"));
  reader.feed(Seconds(2), ": ping\n\n");
  reader.feed(Seconds(3), "event: ping\ndata: {}\n\n");
  EXPECT_EQ(reader.last_data(), Seconds(1));
}

// k tokens a chunk, for k in 1..8: whatever the chunking, the figures stay the same.
TEST(StreamReader, MeasuresTheSameRateHoweverManyTokensAChunkHolds) {
  for (int k = 1; k <= 8; ++k) {
    Reads reads;
    for (int tokens = k; tokens <= 840; tokens += k) {
      reads.emplace_back(1 + 0.01 * tokens,
                         data(R"({"meta_info":{"completion_tokens":)" + std::to_string(tokens) +
                              (tokens == 840 ? R"(,"finish_reason":{"type":"length"})" : "") +
                              R"(,"prompt_tokens":3},"text":"so far"})"));
    }
    const RequestRecord record = read_stream("sglang", reads);
    ASSERT_EQ(record.output_got, 840);
    ASSERT_NEAR(tpot(record)->count(), 0.01, 1e-9) << k << " tokens a chunk";
    ASSERT_EQ(record.events.front().source, CountSource::engine);
  }
}

TEST(StreamReader, SumsAlwaysClose) {
  const RequestRecord record = read_stream("vllm-chat", worked_stream(), 8);
  Seconds sum = *ttft(record);
  std::int64_t tokens = record.events[1].tokens;
  for (const TokenGap& gap : token_gaps(record)) {
    EXPECT_GE(gap.gap, Seconds(0));
    sum += gap.gap;
    tokens += gap.tokens;
  }
  EXPECT_NEAR(sum.count(), e2e(record)->count(), 1e-12);
  EXPECT_EQ(tokens, record.output_got);
}

TEST(StreamReader, EndsAStreamThatNeverEnds) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += text("a");
  const RequestRecord record = read_stream("openai", Reads(100, {1, bytes}), 10);
  EXPECT_EQ(record.failure, Failure::protocol);
  EXPECT_EQ(record.error, "far more messages than the tokens that were asked");
  EXPECT_EQ(record.events.size(), 65616u);
}

TEST(StreamReader, ReadsAMillionTokensOfCumulativeTextWithinBounds) {
  const std::string words(std::size_t{4} << 20, 'w');
  const RequestRecord record = read_stream(
      "sglang",
      {{1, data(R"({"text":"w","meta_info":{"completion_tokens":1}})")},
       {2,
        data(R"({"text":")" + words +
             R"(","meta_info":{"completion_tokens":1000000,"finish_reason":{"type":"length"}}})") +
            kDone}});
  EXPECT_EQ(record.output_got, 1000000);
  EXPECT_EQ(deltas(record), (Deltas{1, 999999}));
}

}  // namespace
}  // namespace bench
