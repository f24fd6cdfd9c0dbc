#include "kernels/cuda/full_pool_cast.h"

namespace bench::cuda {
namespace {

const Register<KernelVariant> kRegistered{
    full_pool_cast("full_pool_cast/elementwise", cast_elementwise,
                   "the same with one value a thread, as frameworks' generic kernels do it")};

}  // namespace
}  // namespace bench::cuda
