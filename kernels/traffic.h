#pragma once

#include "kernels/pool_format.h"
#include "kernels/shape.h"
#include "kernels/variant.h"

namespace bench {

// Bytes of one layer's stages, for variants to declare. A stage reads its input from memory and
// writes its output there; what is smaller than a cache line's worth of news (indices, splits of
// the softmax, queries) is left out, as it stays in cache.

// New rows read, stored rows written.
double append_bytes(PoolFormat format, const StepShape& shape);
// The rows of all active tokens, read once: the least any variant can move.
double active_bytes(PoolFormat format, const StepShape& shape);
// `tokens` rows of E4M3 read, as many of BF16 written.
double cast_bytes(double tokens, const StepShape& shape);

}  // namespace bench
