#include "runners/http/record_codec.h"

#include <gtest/gtest.h>

#include "harness/error.h"
#include "worked_stream.h"

namespace bench {
namespace {

RequestRecord full_record() {
  RequestRecord record = read_stream("vllm-chat", worked_stream(), 8);
  record.index = 7;
  record.user = 3;
  record.open_loop = true;
  record.due = Seconds(1.25);
  record.http_status = 200;
  record.error = "caf\xC3\xA9 \x00 end";
  record.reused = true;
  record.attempts = 2;
  record.tls = Seconds(0.031);
  record.note_anomaly("odd");
  return record;
}

TEST(RecordCodec, ReadsBackWhatItWrote) {
  const RequestRecord before = full_record();
  const std::vector<RequestRecord> read = decode_records(encode(before) + encode(RequestRecord{}));
  ASSERT_EQ(read.size(), 2u);
  const RequestRecord& after = read[0];
  EXPECT_EQ(after.index, 7);
  EXPECT_EQ(after.user, 3);
  EXPECT_TRUE(after.open_loop && after.reused && after.ended_with_done);
  EXPECT_EQ(after.due, Seconds(1.25));
  EXPECT_EQ(after.first_byte, before.first_byte);
  EXPECT_EQ(after.output_got, 8);
  EXPECT_EQ(after.cached, kUnknown);
  EXPECT_EQ(after.output_source, CountSource::usage);
  EXPECT_EQ(after.finish_reason, "length");
  EXPECT_EQ(after.error, before.error);
  EXPECT_EQ(after.attempts, 2);
  EXPECT_EQ(after.anomaly, "odd");
  ASSERT_EQ(after.events.size(), before.events.size());
  for (std::size_t i = 0; i < after.events.size(); ++i) {
    EXPECT_NEAR(after.events[i].time.count(), before.events[i].time.count(), 1e-9);
    EXPECT_EQ(after.events[i].tokens, before.events[i].tokens);
    EXPECT_EQ(after.events[i].source, before.events[i].source);
    EXPECT_EQ(after.events[i].kind, before.events[i].kind);
  }
}

TEST(RecordCodec, NeedsSevenBytesAPacedTokenEvent) {
  RequestRecord record;
  const std::size_t empty = encode(record).size();
  for (int i = 0; i < 500; ++i) {
    record.events.push_back({Seconds(0.01 * i), 1, CountSource::usage, EventKind::text});
  }
  EXPECT_LE(encode(record).size() - empty, 500u * 7);
}

TEST(RecordCodec, RefusesEveryTruncationAndALaterVersion) {
  const std::string bytes = encode(full_record());
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    EXPECT_THROW(decode_records(bytes.substr(0, size)), Error) << size;
  }
  EXPECT_TRUE(decode_records("").empty());
  EXPECT_THROW(decode_records(std::string("\x02\x02\x00", 3)), Error);
}

TEST(RecordCodec, ReadsWhatItsFirstVersionWrote) {
  std::string bytes = encode(RequestRecord{});
  ASSERT_EQ(bytes.at(1), 2);  // behind the length
  bytes[1] = 1;
  EXPECT_EQ(decode_records(bytes).size(), 1u);
  bytes[1] = 3;
  EXPECT_THROW(decode_records(bytes), Error);
}

}  // namespace
}  // namespace bench
