#include "harness/app/binaries.h"

#include <array>
#include <cstdint>
#include <fstream>
#include <system_error>

#include "harness/format.h"

namespace bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSelf = "/proc/self/exe";  // the very program, even after another build

std::string hash_of_self() {
  std::ifstream file(kSelf, std::ios::binary);
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a, by words
  std::array<std::uint64_t, 8192> block{};
  while (file) {
    block.fill(0);
    file.read(reinterpret_cast<char*>(block.data()), sizeof block);
    const auto words = (static_cast<std::size_t>(file.gcount()) + 7) / 8;
    for (std::size_t i = 0; i < words; ++i) hash = (hash ^ block.at(i)) * 0x100000001b3u;
  }
  return format("bench-{:016x}", hash);
}

}  // namespace

std::string Binaries::keep() const {
  std::string name = hash_of_self();
  const fs::path path = folder_ / name;
  if (fs::exists(path)) return name;
  const fs::path partial = folder_ / (name + ".partial");
  std::error_code error;
  fs::create_directories(folder_, error);
  fs::copy_file(kSelf, partial, fs::copy_options::overwrite_existing, error);
  if (!error) fs::rename(partial, path, error);
  if (error) fs::remove(partial, error);  // it only could not be compared with, later
  return name;
}

std::optional<fs::path> Binaries::find(const std::string& name) const {
  if (name.empty() || !fs::exists(folder_ / name)) return std::nullopt;
  return folder_ / name;
}

void Binaries::keep_only(const std::set<std::string>& names) const {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("bench-") && !names.contains(name)) fs::remove(entry.path(), ignored);
  }
}

}  // namespace bench
