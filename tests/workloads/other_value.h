#pragma once

#include <cstdint>
#include <string>

#include "workloads/parameters.h"

namespace bench {

// A legal value of a parameter that is not its default.
inline ParameterValue other_value(const ParameterInfo& info) {
  switch (info.kind) {
    case ParameterKind::count:
      return static_cast<std::int64_t>(info.high);
    case ParameterKind::text:
      return std::string(info.list ? "[0,3]" : "words");
    case ParameterKind::choice:
      return std::string(info.choices.back());
    default:
      return info.low + (info.high - info.low) / 4;
  }
}

}  // namespace bench
