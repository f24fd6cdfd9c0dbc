#include "runners/http/response_parser.h"

#include <gtest/gtest.h>

#include "runners/http/arrival_clock.h"

namespace bench {
namespace {

using ParserState = ResponseParser::State;

struct KeptResponse : ResponseHandler {
  std::string text;  // "200 text/plain|body"
  bool wants_more = true;
  void on_head(const ResponseHead& head) override {
    text += std::to_string(head.status) + " " + head.content_type + head.content_encoding + "|";
  }
  bool on_body(std::string_view bytes) override {
    text += bytes;
    return wants_more;
  }
};

struct ReadResponse {
  ParserState state;
  std::string text;
  bool keeps;
  std::string error;
  bool operator==(const ReadResponse&) const = default;
};

ReadResponse read_response(std::string_view bytes, std::size_t cut = 0, bool closed = false) {
  KeptResponse kept;
  ResponseParser parser;
  parser.feed(bytes.substr(0, cut), kept);
  ParserState state = parser.feed(bytes.substr(cut), kept);
  if (closed) state = parser.close();
  return {state, kept.text, parser.keeps_connection(), parser.error()};
}

constexpr std::string_view kChunkedResponse =
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
    "Transfer-Encoding: chunked\r\n\r\n3;name=\"x\"\r\nab\n\r\nA\r\n0123456789\r\n0\r\nX: "
    "1\r\n\r\n";

TEST(ResponseParser, ReadsChunksWhereverTheyAreCut) {
  for (std::size_t cut = 0; cut <= kChunkedResponse.size(); ++cut) {
    EXPECT_EQ(read_response(kChunkedResponse, cut),
              (ReadResponse{ParserState::done, "200 text/plain|ab\n0123456789", true, ""}))
        << cut;
  }
}

TEST(ResponseParser, EndsABodyByItsLengthOrByTheClose) {
  const std::string_view sized = "HTTP/1.1 200 OK\r\ncontent-length:2\r\n\r\nab";
  EXPECT_EQ(read_response(sized), (ReadResponse{ParserState::done, "200 |ab", true, ""}));
  EXPECT_FALSE(
      read_response("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc").keeps);  // what is c?
  EXPECT_FALSE(read_response("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nab").keeps);
  EXPECT_FALSE(
      read_response("HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 2\r\n\r\nab").keeps);
  EXPECT_EQ(read_response("HTTP/1.1 204 No Content\r\n\r\n").state, ParserState::done);
  EXPECT_EQ(read_response("HTTP/1.1 200 OK\n\nab").state, ParserState::reading);
  EXPECT_EQ(read_response("HTTP/1.1 200 OK\n\nab", 0, true),
            (ReadResponse{ParserState::done, "200 |ab", false, ""}));
  EXPECT_EQ(read_response(sized.substr(0, sized.size() - 1), 0, true).state, ParserState::broken);
  EXPECT_EQ(read_response(kChunkedResponse.substr(0, kChunkedResponse.size() - 2), 0, true).state,
            ParserState::broken);
}

TEST(ResponseParser, SaysWhatIsWrong) {
  const auto error = [](std::string_view bytes) { return read_response(bytes).error; };
  EXPECT_EQ(error("HTTP/2 200\r\n"), "the answer is not HTTP/1.1");
  EXPECT_EQ(error("data: x\n\n"), "the answer is not HTTP/1.1");
  EXPECT_EQ(error("HTTP/1.1 OK\r\n"), "a status that is no number");
  EXPECT_EQ(error("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
            "another protocol, which was not asked for");
  EXPECT_EQ(error("HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\n"), "a length that is no number");
  EXPECT_EQ(error("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
            "a length that is no number");
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(error(chunked + "xyz\r\n"), "a chunk without a size");
  EXPECT_EQ(error(chunked + "-1\r\n"), "a chunk without a size");
  EXPECT_EQ(error(chunked + "ffffffffffffffff\r\n"), "a chunk without a size");
  EXPECT_EQ(error(chunked + "1\r\nab\r\n"), "a chunk longer than it says");
  EXPECT_EQ(error("HTTP/1.1 200 OK\r\nX: " + std::string(300'000, 'x')), "a head without an end");
}

TEST(ResponseParser, TellsCompressionThatTheTransferAdded) {
  EXPECT_EQ(
      read_response("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1\r\nx\r\n").text,
      "200 gzip|x");
}

TEST(ResponseParser, StopsWhenItsReaderWantsNoMore) {
  KeptResponse kept;
  kept.wants_more = false;
  ResponseParser parser;
  EXPECT_EQ(parser.feed(kChunkedResponse, kept), ParserState::broken);
  EXPECT_EQ(kept.text, "200 text/plain|ab\n");
}

TEST(ArrivalClock, TakesTheKernelsStampUnlessTheWallClockWasSet) {
  ArrivalClock clock;
  clock.compare_clocks();
  timespec wall{};
  timespec monotonic{};
  clock_gettime(CLOCK_MONOTONIC, &monotonic);
  clock_gettime(CLOCK_REALTIME, &wall);
  const Seconds now(static_cast<double>(monotonic.tv_sec) +
                    static_cast<double>(monotonic.tv_nsec) * 1e-9);
  const Seconds earlier = now - Seconds(1);
  const Seconds ready = now + Seconds(1);
  EXPECT_NEAR((clock.arrival(wall, earlier, ready) - now).count(), 0, 0.5);
  EXPECT_NE(clock.arrival(wall, earlier, ready), ready);
  const timespec set_back{wall.tv_sec - 3600, wall.tv_nsec};
  const timespec set_forward{wall.tv_sec + 3600, wall.tv_nsec};
  EXPECT_EQ(clock.arrival(set_back, earlier, ready), ready);
  EXPECT_EQ(clock.arrival(set_forward, earlier, ready), ready);
  // The comparison of the clocks is off by microseconds: no gap is negative.
  const Seconds just_before = clock.arrival(wall, earlier, ready) + Seconds(20e-6);
  EXPECT_EQ(clock.arrival(wall, just_before, ready), just_before);
}

}  // namespace
}  // namespace bench
