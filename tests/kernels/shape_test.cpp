#include "kernels/shape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "harness/error.h"

namespace bench {
namespace {

Parameters glm5() {
  Parameters p;
  p.layers = 78;
  p.heads = 64;
  p.tensor_parallel = 8;
  p.qk_nope_head_dim = 192;
  p.context = 4096;
  p.pool_tokens = 495552;
  return p;
}

std::string error_of(const std::function<void(Parameters&)>& change) {
  Parameters p = glm5();
  change(p);
  try {
    step_shape(p);
  } catch (const Error& e) {
    EXPECT_EQ(e.exit(), Exit::usage);
    return e.what();
  }
  return "";
}

TEST(Shape, ShardsTheHeadsAndKeepsTheLatent) {
  const StepShape shape = step_shape(glm5());
  EXPECT_EQ(shape.heads, 8);
  EXPECT_EQ(shape.latent, 512);
  EXPECT_EQ(shape.row_dim(), 576);
  EXPECT_FLOAT_EQ(shape.softmax_scale, 1.0F / 16);
}

TEST(Shape, RoundsThePoolUpToWholePages) {
  Parameters p = glm5();
  p.page_size = 64;
  p.pool_tokens = 495553;
  EXPECT_EQ(step_shape(p).pool_tokens, 495616);
}

TEST(Shape, HoldsJustTheActivePagesWhenNoPoolIsGiven) {
  Parameters p = glm5();
  p.page_size = 16;
  p.pool_tokens = 0;
  p.context = 100;
  p.concurrency = 3;
  const StepShape shape = step_shape(p);
  EXPECT_EQ(shape.pool_tokens, 3 * 112);
  EXPECT_EQ(shape.active_tokens(), 300);
  EXPECT_EQ(shape.max_context(), 100);
}

TEST(Shape, LetsLaterQueryTokensSeeOneMore) {
  Parameters p = glm5();
  p.context = 10;
  p.query_tokens = 3;
  const StepShape shape = step_shape(p);
  EXPECT_EQ(shape.visible(0, 0), 8);
  EXPECT_EQ(shape.visible(0, 2), 10);
}

TEST(Shape, SaysWhatIsWrongAndWhatWouldBeRight) {
  EXPECT_EQ(error_of([](Parameters& p) { p.tensor_parallel = 6; }),
            "heads 64 cannot be split over tensor_parallel 6: it must divide them");
  EXPECT_EQ(error_of([](Parameters& p) { p.pool_tokens = 4095; }),
            "pool_tokens 4095 cannot hold concurrency 1 x context 4096 in pages of 1: it must be "
            "at least 4096");
  EXPECT_EQ(error_of([](Parameters& p) { p.query_tokens = 4097; }),
            "context 4096 is shorter than query_tokens 4097: it counts the new tokens too");
  EXPECT_EQ(error_of([](Parameters& p) { p.page_size = 0; }),
            "page_size 0 is out of range: it must be 1 to 65536");
  EXPECT_EQ(error_of([](Parameters& p) { p.qk_rope_head_dim = 513; }),
            "qk_rope_head_dim 513 is out of range: it must be 0 to 512");
}

TEST(Shape, RefusesScalesThatAreNoScales) {
  for (const double bad : {0.0, -1.0, 1e30, std::nan("")}) {
    EXPECT_NE(error_of([&](Parameters& p) { p.k_scale = bad; }), "") << bad;
    EXPECT_NE(error_of([&](Parameters& p) { p.v_scale = bad; }), "") << bad;
  }
}

TEST(Shape, CountsPagesAndNotSlotsWhenPartlyFilledPagesOverflowThePool) {
  const std::string error = error_of([](Parameters& p) {
    p.page_size = 64;
    p.context = 65;
    p.concurrency = 8;
    p.pool_tokens = 520;  // 8 x 65
  });
  EXPECT_NE(error.find("at least 1024"), std::string::npos) << error;
}

}  // namespace
}  // namespace bench
