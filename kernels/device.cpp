#include "kernels/device.h"

#include "harness/error.h"

namespace bench {

std::string to_string(DeviceKind kind) { return kind == DeviceKind::cpu ? "cpu" : "cuda"; }

std::string to_string(Stage stage) {
  switch (stage) {
    case Stage::append:
      return "append";
    case Stage::plan:
      return "plan";
    case Stage::gather:
      return "gather";
    case Stage::cast:
      return "cast";
    case Stage::attention:
      return "attention";
    case Stage::combine:
      return "combine";
    case Stage::allreduce:
      return "allreduce";
  }
  fail("unknown stage");
}

}  // namespace bench
