#include "kernels/cuda/native.h"

namespace bench::cuda {
namespace {

const Register<KernelVariant> kRegistered{
    native("bf16_pool", PoolFormat::bf16, "the pool holds BF16: no cast, twice the memory")};

}  // namespace
}  // namespace bench::cuda
