// The parser must give the same events for the same bytes however they are cut, and hold no more
// than its limit. The first byte of the input says where to cut.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "runners/http/sse_parser.h"

namespace {

constexpr std::size_t kLimit = 1 << 12;

class Notes : public bench::SseHandler {
 public:
  void on_event(const bench::SseEvent& event) override {
    text += "E";
    text += event.type;
    text += '\x01';
    text += event.data;
    text += '\x01';
    text += event.id;
  }
  void on_comment(std::string_view comment) override { (text += "C") += comment; }
  void on_unknown_line(std::string_view line) override { (text += "U") += line; }
  std::string text;
};

std::string parse(std::string_view bytes, std::size_t piece) {
  Notes notes;
  bench::SseParser parser(kLimit);
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, piece);
    const std::vector<char> exact(part.begin(), part.end());
    parser.feed({exact.data(), exact.size()}, notes);
    bytes.remove_prefix(part.size());
  }
  if (parser.buffered_bytes() > 16 * kLimit) std::abort();
  parser.finish(notes);
  return notes.text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (bytes.size() > kLimit / 2) return 0;  // the limit counts bytes kept, which depends on the cut
  const std::string whole = parse(bytes, bytes.size() + 1);
  if (parse(bytes, data[0] + std::size_t{1}) != whole || parse(bytes, 1) != whole) std::abort();
  return 0;
}
