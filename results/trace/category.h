#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "results/trace/event.h"

namespace bench {

// What a kernel does.
enum class Category {
  cast_copy,
  gather_scatter,
  attention,
  gemm,
  moe,
  collective,
  norm_elementwise,
  sampling,
  memory,  // memcpy, memset
  other,
};
inline constexpr std::size_t kCategories = 10;

std::string_view id_of(Category category);     // cast_copy: in JSON and the store
std::string_view title_of(Category category);  // cast/copy: for people

// By the first rule of results/trace/kernel_rules.txt that holds.
Category categorise(std::string_view kernel_name, TraceEventKind kind);

// Bytes per second of the card by results/trace/cards.txt; 0: not known.
double peak_bandwidth_per_s(std::string_view device_name);

}  // namespace bench
