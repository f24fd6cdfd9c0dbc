#include "results/trace/window.h"

#include <algorithm>
#include <cstring>

namespace bench {

void ByteWindow::advance(std::size_t count) {
  begin_ += count;
  offset_ += static_cast<std::int64_t>(count);
}

bool ByteWindow::more() {
  if (full()) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ > buffer_.size() / 2) buffer_.resize(std::min(buffer_.size() * 2, kLargest));
  const std::size_t got = source_.read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  return got > 0;
}

int ByteWindow::peek() {
  if (begin_ == end_ && !more()) return -1;
  return static_cast<unsigned char>(buffer_[begin_]);
}

int ByteWindow::peek_nonspace() {
  int byte = peek();
  while (byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r') {
    advance(1);
    byte = peek();
  }
  return byte;
}

}  // namespace bench
