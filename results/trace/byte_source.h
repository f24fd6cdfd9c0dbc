#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace bench {

// The bytes of a file, plain or gzip (told by its first bytes), in order. zlib is seen only in the
// .cpp.
class ByteSource {
 public:
  // Throws Error (exit 2) when the file cannot be opened or is a directory.
  explicit ByteSource(const std::string& path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Fills up to `size` bytes; fewer only at the end or at damage().
  std::size_t read(char* to, std::size_t size);

  // Why the file ended before its end: a gzip cut short or corrupt. Empty: it did not.
  [[nodiscard]] const std::string& damage() const { return damage_; }

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::string damage_;
};

}  // namespace bench
