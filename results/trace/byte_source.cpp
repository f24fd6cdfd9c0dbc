#include "results/trace/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/error.h"
#include "harness/format.h"

namespace bench {
namespace {

// Fills up to `size` bytes; fewer at the end, or at the damage that it names.
std::size_t read_some(gzFile file, char* to, std::size_t size, std::string& damage) {
  std::size_t filled = 0;
  while (filled < size) {
    const auto asked = static_cast<unsigned>(std::min<std::size_t>(size - filled, 1u << 30));
    const int got = gzread(file, to + filled, asked);
    if (got > 0) filled += static_cast<std::size_t>(got);
    if (got == static_cast<int>(asked)) continue;
    int code = Z_OK;
    const char* text = gzerror(file, &code);
    if (code == Z_BUF_ERROR) damage = "the gzip data end early";
    if (code != Z_OK && code != Z_BUF_ERROR) damage = format("the gzip data are corrupt: {}", text);
    break;
  }
  return filled;
}

// Inflates in a thread of its own, a few pieces ahead of its reader.
class ReadAhead {
 public:
  explicit ReadAhead(gzFile file) : file_(file), thread_([this] { inflate(); }) {}
  ~ReadAhead() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  std::size_t read(char* to, std::size_t size, std::string& damage) {
    std::size_t filled = 0;
    while (filled < size) {
      const Piece& piece = wait_for_piece();
      const std::size_t count = std::min(size - filled, piece.size - taken_);
      std::memcpy(to + filled, piece.bytes.data() + taken_, count);
      filled += count;
      taken_ += count;
      if (taken_ < piece.size) continue;
      if (piece.size < kPiece) {  // the last, which stays
        damage = piece.damage;
        break;
      }
      give_back();
    }
    return filled;
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 18;
  static constexpr std::size_t kPieces = 4;

  struct Piece {
    std::vector<char> bytes = std::vector<char>(kPiece);
    std::size_t size = 0;
    std::string damage;
  };

  void inflate() {
    for (std::size_t at = 0;; ++at) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stopped_ || at < used_ + kPieces; });
        if (stopped_) return;
      }
      Piece& piece = pieces_.at(at % kPieces);
      piece.size = read_some(file_, piece.bytes.data(), kPiece, piece.damage);
      {
        const std::lock_guard lock(mutex_);
        ready_ = at + 1;
      }
      changed_.notify_all();
      if (piece.size < kPiece) return;
    }
  }

  const Piece& wait_for_piece() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return used_ < ready_; });
    return pieces_.at(used_ % kPieces);
  }

  void give_back() {
    {
      const std::lock_guard lock(mutex_);
      ++used_;
    }
    changed_.notify_all();
    taken_ = 0;
  }

  gzFile file_;
  std::array<Piece, kPieces> pieces_;
  std::size_t taken_ = 0;  // of the piece that is read
  std::mutex mutex_;       // guards what follows
  std::condition_variable changed_;
  std::size_t ready_ = 0;  // pieces that were filled
  std::size_t used_ = 0;   // of them, those that were read
  bool stopped_ = false;
  std::thread thread_;  // the last member: it uses all others
};

}  // namespace

struct ByteSource::State {
  struct Close {
    void operator()(gzFile opened) const { gzclose(opened); }
  };
  std::unique_ptr<gzFile_s, Close> file;
  std::unique_ptr<ReadAhead> ahead;  // of gzip; plain bytes come as fast without
};

ByteSource::ByteSource(const std::string& path) : state_(std::make_unique<State>()) {
  if (std::filesystem::is_directory(path)) fail_usage(path + " is a directory, not a file");
  state_->file.reset(gzopen(path.c_str(), "rb"));
  if (!state_->file) fail_usage(format("{} cannot be read: {}", path, std::strerror(errno)));
  gzFile file = state_->file.get();
  gzbuffer(file, 1u << 18);
  if (gzdirect(file) == 0) state_->ahead = std::make_unique<ReadAhead>(file);
}

ByteSource::~ByteSource() = default;

std::size_t ByteSource::read(char* to, std::size_t size) {
  if (!damage_.empty()) return 0;
  return state_->ahead ? state_->ahead->read(to, size, damage_)
                       : read_some(state_->file.get(), to, size, damage_);
}

}  // namespace bench
