#include "results/trace/structure.h"

#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace bench {
namespace {

constexpr std::size_t kBlock = 64;

// One bit a byte of a block.
struct Block {
  std::uint64_t quotes = 0;
  std::uint64_t backslashes = 0;
  std::uint64_t braces = 0;
};

#if defined(__SSE2__)

std::uint64_t equal_bytes(const __m128i (&lanes)[4], char byte) {
  const __m128i wanted = _mm_set1_epi8(byte);
  std::uint64_t mask = 0;
  for (int i = 0; i < 4; ++i) {
    const int bits = _mm_movemask_epi8(_mm_cmpeq_epi8(lanes[i], wanted));
    mask |= std::uint64_t{static_cast<std::uint16_t>(bits)} << (16 * i);
  }
  return mask;
}

Block look_at(const char* bytes) {
  __m128i lanes[4];
  for (std::size_t i = 0; i < 4; ++i) std::memcpy(&lanes[i], bytes + 16 * i, 16);
  return {.quotes = equal_bytes(lanes, '"'),
          .backslashes = equal_bytes(lanes, '\\'),
          .braces = equal_bytes(lanes, '{') | equal_bytes(lanes, '}')};
}

#else

Block look_at(const char* bytes) {
  Block block;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (bytes[i] == '"') block.quotes |= bit;
    if (bytes[i] == '\\') block.backslashes |= bit;
    if (bytes[i] == '{' || bytes[i] == '}') block.braces |= bit;
  }
  return block;
}

#endif

// Bits of the bytes that a backslash escapes. `escaped` says whether the first byte is, and
// afterwards whether the next block's first is.
std::uint64_t escaped_bytes(std::uint64_t backslashes, bool& escaped) {
  std::uint64_t found = escaped ? 1 : 0;
  backslashes &= ~found;
  escaped = false;
  while (backslashes != 0) {
    const int at = std::countr_zero(backslashes);
    if (at == 63) {
      escaped = true;
      break;
    }
    const std::uint64_t next = std::uint64_t{1} << (at + 1);
    found |= next;
    backslashes &= ~(next | (next - 1));
  }
  return found;
}

// Bit i is the parity of the bits 0..i: set from each opening quote to before its closing one.
std::uint64_t parity_up_to(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

}  // namespace

void find_structure(std::string_view text, std::vector<std::uint32_t>& positions) {
  positions.resize(text.size() + kBlock);  // no growth in the loop
  std::uint32_t* to = positions.data();
  bool escaped = false;
  std::uint64_t in_string = 0;  // all ones: the block begins inside of a string
  for (std::size_t at = 0; at < text.size(); at += kBlock) {
    char padded[kBlock];
    const char* bytes = text.data() + at;
    if (text.size() - at < kBlock) {
      std::memset(padded, ' ', kBlock);
      std::memcpy(padded, bytes, text.size() - at);
      bytes = padded;
    }
    const Block block = look_at(bytes);
    const std::uint64_t quotes = block.quotes & ~escaped_bytes(block.backslashes, escaped);
    const std::uint64_t inside = parity_up_to(quotes) ^ in_string;
    in_string = (inside >> 63) != 0 ? ~std::uint64_t{0} : 0;
    for (std::uint64_t found = quotes | (block.braces & ~inside); found != 0; found &= found - 1) {
      *to++ = static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(std::countr_zero(found));
    }
  }
  positions.resize(static_cast<std::size_t>(to - positions.data()));
}

}  // namespace bench
