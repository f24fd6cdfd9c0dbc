#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "results/trace/byte_source.h"

namespace bench {

// A view that moves over the bytes of a source. text() lives until the next more() or peek().
class ByteWindow {
 public:
  static constexpr std::size_t kLargest = std::size_t{16} << 20;

  explicit ByteWindow(ByteSource& source) : source_(source), buffer_(std::size_t{1} << 20) {}

  [[nodiscard]] std::string_view text() const { return {buffer_.data() + begin_, end_ - begin_}; }
  [[nodiscard]] std::int64_t offset() const { return offset_; }  // of text() in the source
  void advance(std::size_t count);

  // Keeps text() and reads more behind it. False: the source has ended, or text() has kLargest.
  bool more();
  [[nodiscard]] bool full() const { return end_ - begin_ >= kLargest; }

  int peek();           // the next byte; -1: there is none
  int peek_nonspace();  // after passing over white space

 private:
  ByteSource& source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::int64_t offset_ = 0;
};

}  // namespace bench
