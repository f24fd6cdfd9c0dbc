#pragma once

#include "kernels/cuda/attention.h"
#include "kernels/cuda/ptx.cuh"

// How the tokens of all requests are dealt to the CTAs, worked out on the device by each CTA for
// itself. Requests are laid end to end on a line of units of 2^unit_log2 tokens, each with a head
// of request_cost units that stands for the work a request costs whatever its length, and the line
// is dealt to the groups evenly. Any group can so tell who else holds a part of a request, and no
// table is ever written.

namespace bench::cuda {

__device__ __forceinline__ int request_units(const AttentionParams& p, int context) {
  return ((context + (1 << p.unit_log2) - 1) >> p.unit_log2) + p.request_cost;
}

// Who holds the parts of a request.
struct Parts {
  int first_group, last_group;
  __device__ __forceinline__ int count() const { return last_group - first_group + 1; }
};

// A run of tokens of one request.
struct Segment {
  int request;
  int begin, end;  // tokens of the request
  int context;
  int first_unit, last_unit;  // of the request's tokens on the line
};

// A group's share of the line.
struct Share {
  int begin, end;     // units
  int request;        // that holds `begin`
  int request_base;   // its first unit
  int group, groups;  // which, and how many: no more than pay
  int quota, extra;   // each group has `quota` units, the first `extra` groups one more
  bool crowded;       // whether most of the CTAs there are have a share

  __device__ __forceinline__ int group_of(int unit) const {
    const int larger = extra * (quota + 1);
    return unit < larger ? unit / (quota + 1) : extra + (unit - larger) / quota;
  }
  // Most segments are wholly inside the share, and need no division to know.
  __device__ __forceinline__ Parts parts_of(const Segment& s) const {
    return {s.first_unit >= begin ? group : group_of(s.first_unit),
            s.last_unit < end ? group : group_of(s.last_unit)};
  }
};

// A line of `total` units, for up to `most` groups.
__device__ __forceinline__ Share deal(const AttentionParams& p, int group, int most, int total) {
  const int groups = max(1, min(most, total >> p.min_units_log2));
  Share share{};
  share.crowded = 2 * groups > most;
  share.group = group;
  share.groups = groups;
  share.quota = total / groups;
  share.extra = total - share.quota * groups;
  if (group >= groups) return share;
  share.begin = group * share.quota + min(group, share.extra);
  share.end = share.begin + share.quota + (group < share.extra ? 1 : 0);
  return share;
}

// By all 32 lanes of a warp.
__device__ __forceinline__ Share find_share(const AttentionParams& p, int group, int groups) {
  // One request waits for nothing else, so that what follows would be half a percent of its time.
  if (p.requests == 1) {
    prefetch_l1(p.page_offsets);
    return deal(p, group, groups, request_units(p, __ldg(p.contexts)));
  }
  const int lane = threadIdx.x & 31;
  const int per_lane = (p.requests + 31) / 32;
  const int first = lane * per_lane;
  const int last = min(first + per_lane, p.requests);
  int mine = 0;
  if (first < last) prefetch_l1(p.page_offsets + first);
#pragma unroll 4
  for (int r = first; r < last; ++r) mine += request_units(p, __ldg(p.contexts + r));
  int sum = mine;
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    const int other = __shfl_up_sync(~0u, sum, d);
    if (lane >= d) sum += other;
  }
  Share share = deal(p, group, groups, __shfl_sync(~0u, sum, 31));
  if (group >= share.groups) return share;
  int base = sum - mine;
  const bool here = base <= share.begin && share.begin < sum;
  int r = first;
  if (here) {
    for (int units; base + (units = request_units(p, __ldg(p.contexts + r))) <= share.begin; ++r) {
      base += units;
    }
  }
  const int owner = __ffs(static_cast<int>(__ballot_sync(~0u, here))) - 1;
  share.request = __shfl_sync(~0u, r, owner);
  share.request_base = __shfl_sync(~0u, base, owner);
  return share;
}

// Walks the segments of a share, in the same order in every warp.
class Segments {
 public:
  __device__ __forceinline__ Segments(const AttentionParams& p, const Share& share)
      : p_(p), share_(share), request_(share.request), base_(share.request_base) {}

  __device__ __forceinline__ bool more() const { return base_ < share_.end; }
  __device__ __forceinline__ bool next(Segment& segment) {
    while (base_ < share_.end) {
      const int context = __ldg(p_.contexts + request_);
      const int units = request_units(p_, context);
      const int skip = base_ + p_.request_cost;
      const int begin = max(share_.begin - skip, 0);
      const int end = min(share_.end, base_ + units) - skip;
      segment = {request_, begin << p_.unit_log2, min(end << p_.unit_log2, context), context,
                 skip,     base_ + units - 1};
      base_ += units;
      ++request_;
      if (begin < end) return true;
    }
    return false;
  }

 private:
  const AttentionParams& p_;
  const Share& share_;
  int request_;
  int base_;
};

}  // namespace bench::cuda
