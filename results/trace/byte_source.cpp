#include "results/trace/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "harness/error.h"
#include "harness/format.h"

namespace bench {

struct ByteSource::State {
  gzFile file = nullptr;
};

ByteSource::ByteSource(const std::string& path) : state_(std::make_unique<State>()) {
  if (std::filesystem::is_directory(path)) fail_usage(path + " is a directory, not a file");
  state_->file = gzopen(path.c_str(), "rb");
  if (state_->file == nullptr) {
    fail_usage(format("{} cannot be read: {}", path, std::strerror(errno)));
  }
  gzbuffer(state_->file, 1u << 18);
}

ByteSource::~ByteSource() { gzclose(state_->file); }

std::size_t ByteSource::read(char* to, std::size_t size) {
  std::size_t filled = 0;
  while (filled < size && damage_.empty()) {
    const auto asked = static_cast<unsigned>(std::min<std::size_t>(size - filled, 1u << 30));
    const int got = gzread(state_->file, to + filled, asked);
    if (got > 0) filled += static_cast<std::size_t>(got);
    if (got == static_cast<int>(asked)) continue;
    int code = Z_OK;
    const char* text = gzerror(state_->file, &code);
    if (code == Z_BUF_ERROR) damage_ = "the gzip data end early";
    if (code != Z_OK && code != Z_BUF_ERROR)
      damage_ = format("the gzip data are corrupt: {}", text);
    break;
  }
  return filled;
}

}  // namespace bench
