#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace bench {

// Each text once; numbers from 0 in the order met. A trace repeats a few hundred names a million
// times.
class Names {
 public:
  std::uint32_t add(std::string_view text) {
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<std::uint32_t>(texts_.size());
    numbers_.emplace(texts_.emplace_back(text), number);
    return number;
  }
  [[nodiscard]] const std::string& operator[](std::uint32_t number) const { return texts_[number]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // never moves a text that the map refers to
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

}  // namespace bench
