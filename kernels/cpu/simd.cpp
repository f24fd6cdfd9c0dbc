#include "kernels/cpu/simd.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <atomic>

namespace bench::simd {
namespace {

std::atomic<Level>& in_use() {
  static std::atomic<Level> level = best_level();
  return level;
}

#if defined(__x86_64__)
// clang 14 does not know this feature by name.
bool has_f16c() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}
#endif

}  // namespace

Level best_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                  has_f16c() && __builtin_cpu_supports("bmi2") != 0;
  const bool v4 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512cd") != 0;
  if (v3 && v4) return Level::v4;
  if (v3) return Level::v3;
#endif
  return Level::baseline;
}

Level level() { return in_use().load(std::memory_order_relaxed); }

void use_level(Level use) { in_use() = std::min(use, best_level()); }

}  // namespace bench::simd
