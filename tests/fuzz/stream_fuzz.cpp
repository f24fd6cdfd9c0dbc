// Every dialect on arbitrary bytes: no crash, and whatever is read keeps the identities of design
// 5. The first byte chooses the dialect, the second where to cut.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "runners/http/record_codec.h"
#include "runners/http/request_metrics.h"
#include "runners/http/stream_reader.h"

namespace {

void check(const bench::RequestRecord& record) {
  std::int64_t tokens = 0;
  for (const bench::TokenGap& gap : bench::token_gaps(record)) {
    if (gap.gap < bench::Seconds(0) || gap.tokens <= 0) std::abort();
    tokens += gap.tokens;
  }
  const auto rate = bench::tpot(record);
  if (rate && (*rate < bench::Seconds(0) || tokens == 0)) std::abort();
  if (record.output_got != bench::kUnknown && record.output_got < 0) std::abort();
  if (bench::decode_records(bench::encode(record)).size() != 1) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto& dialects = bench::Registry<bench::Dialect>::all();
  std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  bench::RequestRecord record;
  record.sent = bench::Seconds(0);
  bench::JsonParser json;
  bench::StreamReader reader(dialects[data[0] % dialects.size()], json, record);
  const std::size_t piece = data[1] + std::size_t{1};
  for (int read = 1; !bytes.empty(); ++read) {
    const std::string_view part = bytes.substr(0, piece);
    reader.feed(bench::Seconds(read), part);
    bytes.remove_prefix(part.size());
  }
  reader.finish();
  check(record);
  return 0;
}
