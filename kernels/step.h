#pragma once

#include <memory>
#include <string>

#include "kernels/communicator.h"
#include "kernels/variant.h"

namespace bench {

// What a rank does with the others after each layer's attention; nothing where it is alone.
struct Together {
  Communicator* communicator = nullptr;
  std::int64_t hidden = 0;
  std::int64_t allreduce_per_layer = 0;

  // Of one all-reduce: [new tokens, hidden] BF16. 0: the mode has none.
  [[nodiscard]] double message_bytes(const StepShape& shape, const Part& part) const;
};

// The all-reduce of tensor ranks: what each hands in is known beforehand, so that the sum is too.
class HiddenSum {
 public:
  HiddenSum(Problem& problem, const Together& together);

  void enqueue() const;
  // What is wrong with the last sum; empty: nothing.
  [[nodiscard]] std::string fault() const;

 private:
  [[nodiscard]] float handed_in(int rank, std::int64_t index) const;

  Problem& problem_;
  Communicator& communicator_;
  std::int64_t count_;
  Buffer from_, to_;  // bf16 [new tokens, hidden]
};

// A variant's step on one rank, with the stage that the ranks do together (Stage::allreduce): the
// all-reduces of tensor ranks, or the merge of context ranks' partial outputs.
struct Step {
  Pipeline pipeline;
  std::shared_ptr<HiddenSum> sum;  // of tensor ranks; else nullptr
};
Step build_step(const KernelVariant& variant, Problem& problem, const Together& together);

}  // namespace bench
