#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

// Which of a host's GPUs a case runs on: `gpus: all | N | [ids]`.
struct GpuChoice {
  std::int64_t count = 0;              // the first so many; 0: all, or those of `ids`
  std::vector<std::int64_t> ids = {};  // as CUDA_VISIBLE_DEVICES leaves them numbered

  [[nodiscard]] bool all() const { return count == 0 && ids.empty(); }
};

// "all", "2", "0,3", "[5]". Throws Error (exit 2) that says what would be right.
GpuChoice parse_gpus(std::string_view text);

// The one way to write it, so that equal choices are equal cases: "all", "2", "[0,3]".
std::string to_text(const GpuChoice& choice);

}  // namespace bench
