#pragma once

#include <cstdint>
#include <cstring>

// Vectors are passed between inlined functions only, never by an ABI. (Not popped: the warning
// comes where a template is instantiated.)
#pragma GCC diagnostic ignored "-Wpsabi"

// Vector code is written once, with GCC's vector types, and compiled for three instruction sets in
// one binary; the best that the CPU has is chosen when it runs. (Not target_clones: its resolvers
// run before the sanitizers are ready, and a test could not ask for a lower level.)
//
// A kernel is a struct with `template <int Bytes> [[gnu::always_inline]] static void run(...)`,
// Bytes being the width of a vector register. All it calls must be inlined too.
namespace bench::simd {

enum class Level { baseline, v3, v4 };  // x86-64: SSE2, AVX2 + FMA, AVX-512; others: baseline

Level best_level();         // of this CPU
Level level();              // in use; the best unless a test lowered it
void use_level(Level use);  // at most best_level() takes effect

template <typename T, int Bytes>
using Vector __attribute__((vector_size(Bytes))) = T;

#if defined(__x86_64__)
template <typename Kernel, typename... Args>
[[gnu::target("arch=x86-64-v4"), gnu::noinline]] void run_v4(Args... args) {
  Kernel::template run<64>(args...);
}
template <typename Kernel, typename... Args>
[[gnu::target("arch=x86-64-v3"), gnu::noinline]] void run_v3(Args... args) {
  Kernel::template run<32>(args...);
}
#endif

template <typename Kernel, typename... Args>
void run(Args... args) {
#if defined(__x86_64__)
  if (level() == Level::v4) return run_v4<Kernel>(args...);
  if (level() == Level::v3) return run_v3<Kernel>(args...);
#endif
  Kernel::template run<16>(args...);
}

// Unaligned.
template <typename V>
[[gnu::always_inline]] inline V load(const void* from) {
  V value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <typename V>
[[gnu::always_inline]] inline void store(void* to, const V& value) {
  std::memcpy(to, &value, sizeof value);
}

// Past the caches, without reading the line first; `to` aligned to the vector. fence() before
// another thread reads.
template <typename V>
[[gnu::always_inline]] inline void stream(V* to, const V& value) {
#if defined(__clang__)
  __builtin_nontemporal_store(value, to);
#elif defined(__x86_64__)
  if constexpr (sizeof(V) == 16) {
    asm volatile("movntdq %1, %0" : "=m"(*to) : "x"(value));
  } else {
    asm volatile("vmovntdq %1, %0" : "=m"(*to) : "v"(value));
  }
#else
  *to = value;
#endif
}
inline void fence() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}

// FP16 to FP32 in hardware (F16C), which every CPU of level v3 has.
#if defined(__x86_64__) && !defined(__clang__)
template <int Bytes>
inline constexpr bool kHasHalfFloats = Bytes >= 32;
template <int Bytes>
[[gnu::always_inline]] inline Vector<float, Bytes> half_to_float(
    const Vector<std::uint16_t, Bytes / 2>& half) {
  Vector<float, Bytes> value;
  asm("vcvtph2ps %1, %0" : "=v"(value) : "v"(half));
  return value;
}
#else
template <int Bytes>
inline constexpr bool kHasHalfFloats = false;
template <int Bytes>
Vector<float, Bytes> half_to_float(const Vector<std::uint16_t, Bytes / 2>& half);
#endif

[[gnu::always_inline]] inline void prefetch(const void* from) { __builtin_prefetch(from, 0, 2); }

}  // namespace bench::simd
