#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/cuda.h"
#include "kernels/cuda/pool_rows.h"
#include "kernels/cuda/ptx.cuh"

// Rows are written four columns a lane, 128 a warp, which is a tile of ds_mla656: the warp finds
// the tile's scale by itself. A block is a row.

namespace bench::cuda {
namespace {

// Where values come from: columns c .. c+3 of row i of the list, in units of k_scale.
struct Originals {
  const std::int64_t* slots;
  std::int64_t layer;
  std::uint64_t seed;

  __device__ float4 operator()(std::int64_t i, int c) const {
    const std::int64_t slot = slots[i];
    return {original_value(seed, layer, slot, c), original_value(seed, layer, slot, c + 1),
            original_value(seed, layer, slot, c + 2), original_value(seed, layer, slot, c + 3)};
  }
};

struct NewRows {
  const std::uint16_t* rows;
  std::int64_t row_dim;
  float k_scale;

  __device__ float4 operator()(std::int64_t i, int c) const {
    const uint2 four = *reinterpret_cast<const uint2*>(rows + i * row_dim + c);
    const float2 low = bf16x2_to_float2(four.x);
    const float2 high = bf16x2_to_float2(four.y);
    return {__fdiv_rn(low.x, k_scale), __fdiv_rn(low.y, k_scale), __fdiv_rn(high.x, k_scale),
            __fdiv_rn(high.y, k_scale)};
  }
};

__device__ void store_bf16(std::byte* at, float4 v) {
  *reinterpret_cast<uint2*>(at) = {float2_to_bf16x2({v.x, v.y}), float2_to_bf16x2({v.z, v.w})};
}

__device__ void store_e4m3(std::byte* at, float4 v) {
  *reinterpret_cast<std::uint32_t*>(at) = floats_to_e4m3x4(v);
}

// Of the tile that the warp holds.
__device__ float tile_scale(float4 v) {
  float largest = fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w)));
  for (int step = 16; step > 0; step /= 2) {
    largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, step));
  }
  return __fdiv_rn(fmaxf(largest, kSmallestTileMaximum), 448.0F);
}

// A tile of the latent, with its scale behind the codes of all of it.
__device__ void store_tile(std::byte* row, int latent, int c, float4 v) {
  const float scale = tile_scale(v);
  store_e4m3(row + c, {__fdiv_rn(v.x, scale), __fdiv_rn(v.y, scale), __fdiv_rn(v.z, scale),
                       __fdiv_rn(v.w, scale)});
  if (c % kScaleTile == 0) {
    *reinterpret_cast<float*>(row + latent + c / kScaleTile * sizeof(float)) = scale;
  }
}

struct Layout {
  std::byte* pool;
  std::int64_t row_bytes;
  int row_dim;
  int latent;
};

template <PoolFormat Format, typename Source>
__global__ void write(Layout layout, const std::int64_t* slots, Source source) {
  launch_dependents();
  const int c = static_cast<int>(threadIdx.x) * 4;
  if (c >= layout.row_dim) return;
  const std::int64_t i = blockIdx.x;
  wait_for_previous_kernel();
  const float4 values = source(i, c);
  std::byte* row = layout.pool + slots[i] * layout.row_bytes;
  if constexpr (Format == PoolFormat::e4m3) {
    store_e4m3(row + c, values);
  } else if constexpr (Format == PoolFormat::bf16) {
    store_bf16(row + c * 2, values);
  } else if (c < layout.latent) {
    store_tile(row, layout.latent, c, values);
  } else {
    const int scales = layout.latent / kScaleTile * static_cast<int>(sizeof(float));
    store_bf16(row + layout.latent + scales + (c - layout.latent) * 2, values);
  }
}

// Where `overlaps`, and the device knows how, the kernel comes while the one before it still runs,
// which it waits for before it reads or writes anything; so the attention that follows can fetch
// old rows meanwhile.
template <PoolFormat Format, typename Source>
void launch_write(const Layout& layout, std::span<const std::int64_t> slots, const Source& source,
                  bool overlaps, cudaStream_t stream) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(slots.size()));
  config.blockDim = dim3(static_cast<unsigned>((layout.row_dim + 127) / 128 * 32));
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = overlaps ? 1 : 0;
  check(cudaLaunchKernelEx(&config, write<Format, Source>, layout, slots.data(), source),
        "write_rows");
}

template <typename Source>
void write_rows(const Pool& pool, std::span<const std::int64_t> slots, const Source& source,
                bool overlaps, cudaStream_t stream) {
  const Layout layout{.pool = pool.data,
                      .row_bytes = row_bytes(pool.format, pool.shape),
                      .row_dim = static_cast<int>(pool.shape.row_dim()),
                      .latent = static_cast<int>(pool.shape.latent)};
  switch (pool.format) {
    case PoolFormat::e4m3:
      launch_write<PoolFormat::e4m3>(layout, slots, source, overlaps, stream);
      break;
    case PoolFormat::bf16:
      launch_write<PoolFormat::bf16>(layout, slots, source, overlaps, stream);
      break;
    case PoolFormat::ds_mla656:
      launch_write<PoolFormat::ds_mla656>(layout, slots, source, overlaps, stream);
      break;
  }
}

// Programmatic dependent launch is Hopper's and later's.
bool can_overlap() {
  int device = 0;
  int major = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
        "compute capability");
  return major >= 9;
}

}  // namespace

void write_original_rows(const Pool& pool, std::span<const std::int64_t> slots, int layer,
                         std::uint64_t seed, cudaStream_t stream) {
  write_rows(pool, slots, Originals{slots.data(), layer, seed}, false, stream);
}

void append_rows(const Pool& pool, const std::uint16_t* new_rows, const std::int64_t* slots,
                 cudaStream_t stream) {
  const auto count = static_cast<std::size_t>(pool.shape.new_tokens());
  static const bool overlaps = can_overlap();
  write_rows(pool, {slots, count}, NewRows{new_rows, pool.shape.row_dim(), pool.shape.k_scale},
             overlaps, stream);
}

}  // namespace bench::cuda
