#include "kernels/cuda/native.h"

namespace bench::cuda {
namespace {

const Register<KernelVariant> kRegistered{native("native_fp8/ds_mla656", PoolFormat::ds_mla656,
                                                 "the 656-byte row: a scale for each 128 columns")};

}  // namespace
}  // namespace bench::cuda
