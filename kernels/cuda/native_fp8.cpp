#include "kernels/cuda/native.h"

namespace bench::cuda {
namespace {

const Register<KernelVariant> kRegistered{
    native("native_fp8", PoolFormat::e4m3,
           "attention reads the FP8 rows as they lie (SM120: by mma/8/cp.async, unmeasured)")};

}  // namespace
}  // namespace bench::cuda
