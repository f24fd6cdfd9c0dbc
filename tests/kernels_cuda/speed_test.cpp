#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "kernels/variant.h"
#include "tests/kernels/small_step.h"
#include "tests/kernels_cuda/gpu.h"

// What must hold of the CUDA variants' times on any GPU: ratios within one run, with room for
// noise.
namespace bench {
namespace {

constexpr double kNoise = 1.03;

class CudaSpeedSlow : public OnGpu {
 protected:
  // The median step, a layer.
  static double seconds(const std::string& name, const Parameters& p) {
    static PoolCache pools(device());
    const StepShape shape = step_shape(p);
    Problem problem(pools, shape, 7);
    const KernelVariant* variant = Registry<KernelVariant>::find("cuda:" + name);
    const auto step = device().prepare(variant->build(problem, device()), shape);
    for (int i = 0; i < 3; ++i) step->run();
    std::vector<double> times;
    for (int i = 0; i < 21; ++i) times.push_back(step->run().count());
    std::nth_element(times.begin(), times.begin() + 10, times.end());
    return times[10] / static_cast<double>(shape.layers);
  }

  static Parameters point(std::int64_t requests, std::int64_t context, std::int64_t heads = 8) {
    Parameters p;
    p.layers = 8;
    p.heads = heads;
    p.concurrency = requests;
    p.context = context;
    p.pool_tokens = 495'552;
    return p;
  }
};

TEST_F(CudaSpeedSlow, AnFp8PoolIsNeverSlowerThanABf16Pool) {
  for (const std::int64_t heads : {8, 16}) {
    for (const auto& [requests, context] :
         {std::pair{1, 1024}, std::pair{1, 8192}, std::pair{1, 131'072}, std::pair{8, 4096},
          std::pair{32, 1024}, std::pair{32, 8192}}) {
      const Parameters p = point(requests, context, heads);
      EXPECT_LE(seconds("native_fp8", p), seconds("bf16_pool", p) * kNoise)
          << heads << " heads, " << requests << " x " << context;
    }
  }
}

TEST_F(CudaSpeedSlow, FewerHeadsAreNeverSlower) {
  for (const auto& [requests, context] : {std::pair{1, 8192}, std::pair{32, 8192}}) {
    const double eight = seconds("native_fp8", point(requests, context, 8));
    const double sixteen = seconds("native_fp8", point(requests, context, 16));
    const double many = seconds("native_fp8", point(requests, context, 64));
    EXPECT_LE(eight, sixteen * kNoise) << requests << " x " << context;
    EXPECT_LE(sixteen, many * kNoise) << requests << " x " << context;
  }
}

TEST_F(CudaSpeedSlow, ALongerContextIsNeverFaster) {
  double before = 0;
  for (const std::int64_t context : {1024, 4096, 16'384, 65'536, 262'144}) {
    const double now = seconds("native_fp8", point(1, context));
    EXPECT_LE(before, now * kNoise) << "context " << context;
    before = now;
  }
}

TEST_F(CudaSpeedSlow, APoolThatIsNotReadCostsNothing) {
  for (const char* name : {"native_fp8", "gather_cast", "gather_cast/fused", "bf16_pool"}) {
    Parameters small = point(1, 8192);
    small.pool_tokens = 65'536;
    EXPECT_LE(seconds(name, point(1, 8192)), seconds(name, small) * 1.01) << name;
  }
}

}  // namespace
}  // namespace bench
