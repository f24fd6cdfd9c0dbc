#include "kernels/cpu/native.h"

namespace bench {
namespace {

KernelVariant ds_mla656() {
  KernelVariant variant = native("native_fp8/ds_mla656", PoolFormat::ds_mla656,
                                 "the same with 656-byte rows: scaled FP8 latent, BF16 rope");
  variant.unsupported = [others = variant.unsupported](const StepShape& shape,
                                                       const DeviceInfo& device) {
    if (shape.latent % kScaleTile != 0) return std::string("needs latent in multiples of 128");
    return others(shape, device);
  };
  return variant;
}

const Register<KernelVariant> kRegistered{ds_mla656()};

}  // namespace
}  // namespace bench
