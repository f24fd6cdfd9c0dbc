#include "kernels/cpu/native.h"

namespace bench {
namespace {

const Register<KernelVariant> kRegistered{
    native("bf16_pool", PoolFormat::bf16, "the pool holds BF16: no cast, twice the memory")};

}  // namespace
}  // namespace bench
