// The parser of HTTP responses must give the same head and body for the same bytes however they are
// cut. The first byte of the input says where.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "runners/http/response_parser.h"

namespace {

class Notes : public bench::ResponseHandler {
 public:
  void on_head(const bench::ResponseHead& head) override {
    text += "H" + std::to_string(head.status) + head.content_type + "\x01" + head.content_encoding +
            "\x01" + head.retry_after + "\x01";
  }
  bool on_body(std::string_view bytes) override {
    text += bytes;
    return true;
  }
  std::string text;
};

std::string parse(std::string_view bytes, std::size_t piece) {
  Notes notes;
  bench::ResponseParser parser;
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, piece);
    const std::vector<char> exact(part.begin(), part.end());
    parser.feed({exact.data(), exact.size()}, notes);
    bytes.remove_prefix(part.size());
  }
  notes.text += parser.keeps_connection() ? "K" : "C";
  notes.text += std::to_string(static_cast<int>(parser.close())) + parser.error();
  return notes.text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = parse(bytes, bytes.size() + 1);
  if (parse(bytes, data[0] + std::size_t{1}) != whole || parse(bytes, 1) != whole) std::abort();
  return 0;
}
