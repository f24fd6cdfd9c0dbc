#include "kernels/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cpu/cpu_device.h"
#include "kernels/number_formats.h"
#include "tests/kernels/small_step.h"

// A check is worth what it catches: a plain kernel passes, and each single fault in it is found
// and named.
namespace bench {
namespace {

struct Fault {
  bool zero_output = false;
  bool skip_last_head = false;  // its output and LSE are never written
  bool shuffle_slots = false;   // request 0 reads the slots of request 1
  bool ignore_k_scale = false;
  bool ignore_v_scale = false;
  bool see_future = false;     // no causal mask between query tokens
  bool lose_oldest = false;    // starts at token 1
  bool read_past_end = false;  // one slot more than the request has
  bool lse_in_log2 = false;
  bool no_append = false;
  bool append_beside = false;     // one slot too far
  bool append_spills = false;     // one byte too many
  bool append_truncates = false;  // toward zero instead of to the nearest
  bool stale_shadow = false;      // reads a copy that append does not update
  bool wrong_second_step = false;
};

// A plain FP32 kernel for E4M3 pools, with faults to order.
class PlainKernel {
 public:
  PlainKernel(Problem& problem, Fault fault) : problem_(problem), fault_(fault) {
    for (int layer = 0; layer < problem.shape().layers; ++layer) {
      auto* pool = static_cast<std::byte*>(problem.pool(PoolFormat::e4m3, layer));
      pools_.push_back(pool);
      const auto bytes = problem.shape().pool_tokens * problem.shape().row_dim();
      if (fault.stale_shadow) shadows_.emplace_back(pool, pool + bytes);
    }
  }

  void append(int layer) {
    if (fault_.no_append) return;
    const StepShape& s = problem_.shape();
    for (std::int64_t i = 0; i < s.new_tokens(); ++i) {
      const std::int64_t slot = problem_.new_slots()[i] + (fault_.append_beside ? 1 : 0);
      std::byte* row = pools_[static_cast<std::size_t>(layer)] + slot * s.row_dim();
      for (std::int64_t c = 0; c < s.row_dim(); ++c) {
        const float value =
            bf16_to_float(problem_.new_rows(layer)[i * s.row_dim() + c]) / s.k_scale;
        std::uint8_t code = float_to_e4m3(value);
        if (fault_.append_truncates && std::abs(e4m3_to_float(code)) > std::abs(value)) --code;
        row[c] = std::byte{code};
      }
      if (fault_.append_spills) row[s.row_dim()] ^= std::byte{1};
    }
  }

  void attention(int layer) {
    const StepShape& s = problem_.shape();
    ++steps_;
    for (std::int64_t r = 0; r < s.requests; ++r) {
      for (std::int64_t t = 0; t < s.query_tokens; ++t) {
        for (std::int64_t h = 0; h < s.heads; ++h) {
          if (!(fault_.skip_last_head && h + 1 == s.heads)) attend(layer, r, t, h);
        }
      }
    }
  }

 private:
  void attend(int layer, std::int64_t request, std::int64_t query_token, std::int64_t head) {
    const StepShape& s = problem_.shape();
    const std::int64_t index = (request * s.query_tokens + query_token) * s.heads + head;
    const std::uint16_t* query = problem_.queries(layer) + index * s.row_dim();
    const std::int64_t seen =
        s.visible(request, fault_.see_future ? s.query_tokens - 1 : query_token);
    const float k_scale = fault_.ignore_k_scale ? 1.0F : s.k_scale;
    const std::int64_t from = fault_.shuffle_slots && request == 0 ? 1 : request;

    const auto own = static_cast<std::size_t>(layer);
    const std::byte* pool = fault_.stale_shadow ? shadows_[own].data() : pools_[own];
    std::vector<float> scores;
    std::vector<const std::byte*> rows;
    for (std::int64_t t = fault_.lose_oldest ? 1 : 0; t < seen; ++t) {
      rows.push_back(pool + problem_.slots().slot(from, t) * s.row_dim());
    }
    if (fault_.read_past_end) rows.push_back(rows.back() + s.row_dim());
    for (const std::byte* row : rows) {
      float score = 0;
      for (std::int64_t c = 0; c < s.row_dim(); ++c)
        score += bf16_to_float(query[c]) * value(row[c]);
      scores.push_back(score * k_scale * s.softmax_scale);
    }
    const float maximum = *std::ranges::max_element(scores);
    std::vector<float> sums(static_cast<std::size_t>(s.latent));
    float weights = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const float weight = std::exp(scores[i] - maximum);
      weights += weight;
      for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += weight * value(rows[i][c]);
    }
    write(index, sums, weights);
    const float lse = maximum + std::log(weights);
    problem_.lse()[index] = fault_.lse_in_log2 ? lse * 1.442695F : lse;
  }

  void write(std::int64_t index, const std::vector<float>& sums, float weights) {
    const StepShape& s = problem_.shape();
    float factor = (fault_.ignore_v_scale ? 1.0F : s.v_scale) / weights;
    if (fault_.zero_output || (fault_.wrong_second_step && steps_ > 1)) factor = 0;
    for (std::size_t c = 0; c < sums.size(); ++c) {
      problem_.output()[index * s.latent + static_cast<std::int64_t>(c)] =
          float_to_bf16(sums[c] * factor);
    }
  }

  static float value(std::byte code) { return e4m3_to_float(std::to_integer<std::uint8_t>(code)); }

  Problem& problem_;
  Fault fault_;
  std::vector<std::byte*> pools_;
  std::vector<std::vector<std::byte>> shadows_;
  int steps_ = 0;
};

KernelVariant plain(Fault fault) {
  KernelVariant variant;
  variant.name = "plain";
  variant.build = [fault](Problem& problem, Device&) -> Pipeline {
    const auto kernel = std::make_shared<PlainKernel>(problem, fault);
    return {{Stage::append, [kernel](int layer) { kernel->append(layer); }},
            {Stage::attention, [kernel](int layer) { kernel->attention(layer); }}};
  };
  return variant;
}

class Check : public testing::Test {
 protected:
  Check() {
    Parameters p = small_step();
    p.layers = 1;
    p.query_tokens = 2;
    p.heads = 6;
    p.context = 40;
    problem_ = std::make_unique<Problem>(pools_, step_shape(p), 5);
  }

  CheckResult check_with(Fault fault) { return check(plain(fault), *problem_); }
  void expect_fault(Fault fault, const std::string& words) {
    const CheckResult result = check_with(fault);
    EXPECT_FALSE(result.correct);
    EXPECT_NE(result.reason.find(words), std::string::npos) << result.reason;
    EXPECT_TRUE(check_with({}).correct) << "the pool was not put right again";
  }

  CpuDevice device_;
  PoolCache pools_{device_};
  std::unique_ptr<Problem> problem_;
};

TEST_F(Check, PassesAPlainKernel) {
  const CheckResult result = check_with({});
  EXPECT_TRUE(result.correct) << result.reason;
  EXPECT_LT(result.output_error, kOutputTolerance);
  EXPECT_LT(result.lse_error, 1e-4);
}

TEST_F(Check, ReportsTheQuantisationErrorApart) {
  const CheckResult result = check_with({});
  EXPECT_GT(result.quantisation_error, 0.005);
  EXPECT_LT(result.quantisation_error, 0.2);
}

TEST_F(Check, CatchesZeroOutput) { expect_fault({.zero_output = true}, "is off by 1 of its norm"); }
TEST_F(Check, CatchesOutputThatWasNotWritten) {
  expect_fault({.skip_last_head = true}, "head 5 (");
}
TEST_F(Check, CatchesAShuffledSlotMap) { expect_fault({.shuffle_slots = true}, "request 0"); }
TEST_F(Check, CatchesAnIgnoredKScale) { expect_fault({.ignore_k_scale = true}, "is off by"); }
TEST_F(Check, CatchesAnIgnoredVScale) { expect_fault({.ignore_v_scale = true}, "is off by"); }
TEST_F(Check, CatchesAMissingCausalMask) { expect_fault({.see_future = true}, "query token 0"); }
TEST_F(Check, CatchesALostOldestToken) { expect_fault({.lose_oldest = true}, "is off by"); }
TEST_F(Check, CatchesASlotTooMany) { expect_fault({.read_past_end = true}, "output of layer 0"); }
TEST_F(Check, CatchesAnLseOfAnotherBase) { expect_fault({.lse_in_log2 = true}, "LSE of layer 0"); }
TEST_F(Check, CatchesAnAppendThatDoesNothing) {
  expect_fault({.no_append = true}, "a new token's, holds the wrong bytes");
}
TEST_F(Check, CatchesAnAppendIntoTheWrongSlot) {
  expect_fault({.append_beside = true}, "holds the wrong bytes");
}
TEST_F(Check, CatchesAnAppendThatSpills) {
  expect_fault({.append_spills = true}, "not a new token's, holds the wrong bytes");
}
TEST_F(Check, CatchesAnAppendThatRoundsWrongly) {
  expect_fault({.append_truncates = true}, "a new token's, holds the wrong bytes");
}
TEST_F(Check, CatchesAShadowThatKeepsTheRowsOfAnEarlierRequest) {
  expect_fault({.stale_shadow = true}, "output of layer 0");
}
TEST_F(Check, CatchesAFaultThatShowsInTheSecondStepOnly) {
  expect_fault({.wrong_second_step = true}, "(in a second step)");
}

}  // namespace
}  // namespace bench
