#pragma once

#include "kernels/shape.h"

namespace bench {

// A decode step small enough for a unit test, with everything in it that kernels get wrong: a
// context that is a multiple of nothing, several requests, room in the pool, scales that are
// unequal and no powers of two.
inline Parameters small_step() {
  Parameters p;
  p.layers = 2;
  p.heads = 8;
  p.context = 77;
  p.concurrency = 2;
  p.pool_tokens = 500;
  p.k_scale = 0.37;
  p.v_scale = 1.9;
  return p;
}

}  // namespace bench
