#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace bench {

// Copies of the programs that measured, so that an old one can measure again beside a new one.
class Binaries {
 public:
  explicit Binaries(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Keeps the running program; its name there, a hash of its content.
  std::string keep() const;
  // nullopt: it is not there any more.
  [[nodiscard]] std::optional<std::filesystem::path> find(const std::string& name) const;
  // Removes all others.
  void keep_only(const std::set<std::string>& names) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace bench
