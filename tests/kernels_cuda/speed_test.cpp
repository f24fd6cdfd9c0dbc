#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
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
  // A variant's step at a point, to be run again and again.
  class Sampler {
   public:
    Sampler(const std::string& name, const Parameters& p)
        : shape_(step_shape(p)), problem_(pools(), shape_, 7) {
      const KernelVariant* variant = Registry<KernelVariant>::find("cuda:" + name);
      step_ = device().prepare(variant->build(problem_, device()), shape_);
      for (int i = 0; i < 3; ++i) step_->run();
    }
    void sample() { times_.push_back(step_->run().count()); }
    // The median, a layer.
    double seconds() {
      const auto middle = times_.begin() + static_cast<std::ptrdiff_t>(times_.size() / 2);
      std::nth_element(times_.begin(), middle, times_.end());
      return *middle / static_cast<double>(shape_.layers);
    }

   private:
    static PoolCache& pools() {
      static PoolCache pools(device());
      return pools;
    }
    StepShape shape_;
    Problem problem_;
    std::unique_ptr<Executable> step_;
    std::vector<double> times_;
  };

  static double seconds(const std::string& name, const Parameters& p) {
    Sampler sampler(name, p);
    for (int i = 0; i < 21; ++i) sampler.sample();
    return sampler.seconds();
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
    // A call takes some microseconds, of which 1 % is little: so chains of 32 layers, and the two
    // by turns, so that the clock's moods meet both.
    Parameters p = point(1, 8192);
    p.layers = 32;
    Sampler large(name, p);
    p.pool_tokens = 65'536;
    Sampler small(name, p);
    for (int i = 0; i < 151; ++i) {
      large.sample();
      small.sample();
    }
    EXPECT_LE(large.seconds(), small.seconds() * 1.01) << name;
  }
}

}  // namespace
}  // namespace bench
