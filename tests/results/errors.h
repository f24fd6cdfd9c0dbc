#pragma once

#include <gtest/gtest.h>

#include <string>

#include "harness/error.h"
#include "harness/format.h"

namespace bench {

// The message of the Error that the action throws, and its exit code where asked; "no error"
// otherwise.
template <typename Action>
std::string error_of(Action action, Exit* exit = nullptr) {
  try {
    static_cast<void>(action());
  } catch (const Error& error) {
    if (exit != nullptr) *exit = error.exit();
    return error.what();
  }
  return "no error";
}

}  // namespace bench
