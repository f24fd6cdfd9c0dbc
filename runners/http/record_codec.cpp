#include "runners/http/record_codec.h"

#include <cmath>

#include "harness/error.h"

namespace bench {
namespace {

// The first version knew no CountSource::limit, and is else the same.
constexpr std::uint64_t kVersion = 2;

std::int64_t nanoseconds(Seconds time) { return std::llround(time.count() * 1e9); }
Seconds seconds(std::int64_t nanoseconds) {
  return Seconds(static_cast<double>(nanoseconds) * 1e-9);
}

// LEB128; signed values in zigzag.
class Packer {
 public:
  void put(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_ += static_cast<char>((value & 0x7f) | 0x80);
      value >>= 7;
    }
    bytes_ += static_cast<char>(value);
  }
  void put_signed(std::int64_t value) {
    put((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void put_time(Seconds time) { put_signed(nanoseconds(time)); }
  void put_text(std::string_view text) {
    put(text.size());
    bytes_ += text;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] bool done() const { return bytes_.empty(); }
  std::uint64_t take() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take_bytes(1).front());
      value |= static_cast<std::uint64_t>(byte & 0x7fu) << shift;
      if (byte < 0x80) return value;
    }
    fail("the stored request records are damaged: a number does not end");
  }
  std::int64_t take_signed() {
    const std::uint64_t value = take();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  Seconds take_time() { return seconds(take_signed()); }
  std::string_view take_text() { return take_bytes(take()); }
  template <typename Enum>
  Enum take_enum(std::uint64_t count) {
    const std::uint64_t value = take();
    if (value >= count) fail("the stored request records are damaged: no such kind");
    return static_cast<Enum>(value);
  }

 private:
  std::string_view take_bytes(std::uint64_t count) {
    if (count > bytes_.size()) fail("the stored request records are damaged: they end too early");
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  std::string_view bytes_;
};

// One list of a record's fields for both directions.
template <typename Visitor, typename Record>
void visit_fields(Visitor&& visit, Record& r) {
  visit(r.index, r.user, r.prompt_asked, r.prompt_got, r.cached, r.output_asked, r.output_got,
        r.server_decode_tokens, r.anomalies, r.http_status, r.attempts);
  visit(r.due, r.sent, r.first_byte, r.end, r.server_decode, r.connect, r.tls);
  visit(r.open_loop, r.reused, r.ended_with_done);
  visit(r.finish_reason, r.error, r.anomaly);
}

struct Write {
  Packer& out;
  void one(std::int64_t value) const { out.put_signed(value); }
  void one(int value) const { out.put_signed(value); }
  void one(bool value) const { out.put(value ? 1 : 0); }
  void one(Seconds value) const { out.put_time(value); }
  void one(const std::string& value) const { out.put_text(value); }
  template <typename... T>
  void operator()(const T&... values) const {
    (one(values), ...);
  }
};

struct Read {
  Unpacker& in;
  void one(std::int64_t& value) const { value = in.take_signed(); }
  void one(int& value) const { value = static_cast<int>(in.take_signed()); }
  void one(bool& value) const { value = in.take() != 0; }
  void one(Seconds& value) const { value = in.take_time(); }
  void one(std::string& value) const { value = in.take_text(); }
  template <typename... T>
  void operator()(T&... values) const {
    (one(values), ...);
  }
};

constexpr std::uint64_t kKinds = 8;
constexpr std::uint64_t kSources = kCountSources;

RequestRecord decode(std::string_view bytes) {
  Unpacker in(bytes);
  if (in.take() > kVersion) fail("the stored request records are of a later version of bench");
  RequestRecord record;
  record.phase = in.take_enum<Phase>(2);
  record.failure = in.take_enum<Failure>(kFailures);
  record.output_source = in.take_enum<CountSource>(kSources);
  visit_fields(Read{in}, record);
  const std::uint64_t events = in.take();
  if (events > bytes.size()) fail("the stored request records are damaged: too many events");
  record.events.reserve(events);
  std::int64_t before = 0;
  for (std::uint64_t i = 0; i < events; ++i) {
    const std::uint64_t what = in.take();
    if (what >= kKinds * kSources) fail("the stored request records are damaged: no such event");
    before += in.take_signed();
    const auto tokens = static_cast<std::int32_t>(in.take());
    record.events.push_back({seconds(before), tokens, static_cast<CountSource>(what / kKinds),
                             static_cast<EventKind>(what % kKinds)});
  }
  return record;
}

}  // namespace

std::string encode(const RequestRecord& record) {
  Packer out;
  out.put(kVersion);
  out.put(static_cast<std::uint64_t>(record.phase));
  out.put(static_cast<std::uint64_t>(record.failure));
  out.put(static_cast<std::uint64_t>(record.output_source));
  visit_fields(Write{out}, record);
  out.put(record.events.size());
  std::int64_t before = 0;
  for (const StreamEvent& event : record.events) {
    out.put(static_cast<std::uint64_t>(event.source) * kKinds +
            static_cast<std::uint64_t>(event.kind));
    const std::int64_t now = nanoseconds(event.time);
    out.put_signed(now - before);
    out.put(static_cast<std::uint64_t>(event.tokens));
    before = now;
  }
  Packer framed;
  framed.put_text(out.bytes());
  return framed.bytes();
}

std::vector<RequestRecord> decode_records(std::string_view bytes) {
  std::vector<RequestRecord> records;
  Unpacker in(bytes);
  while (!in.done()) records.push_back(decode(in.take_text()));
  return records;
}

}  // namespace bench
