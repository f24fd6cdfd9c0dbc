#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

// The ways that rows are copied and cast from E4M3 to BF16. All counts of values are multiples of
// 16, all memory is aligned to 16 bytes.
namespace bench::cuda {

// Values, one after the other.
void cast(std::uint16_t* to, const std::uint8_t* from, std::int64_t count, cudaStream_t stream);
// The same as frameworks' generic element-wise kernels do it: one value a thread.
void cast_elementwise(std::uint16_t* to, const std::uint8_t* from, std::int64_t count,
                      cudaStream_t stream);

// Rows of `row_dim` codes of a pool, by a list of their slots.
struct RowList {
  const std::uint8_t* pool;
  const std::int32_t* slots;  // [count]
  std::int64_t count;
  int row_dim;
};
// Row i of the list becomes row i of `to`.
void gather(std::uint8_t* to, const RowList& rows, cudaStream_t stream);
void gather_cast(std::uint16_t* to, const RowList& rows, cudaStream_t stream);
// Each row to its own slot of `to`, a BF16 pool.
void cast_rows(std::uint16_t* to, const RowList& rows, cudaStream_t stream);
// Each row to where it lies, over its own and the next slot.
void cast_in_place(std::uint8_t* pool, const RowList& rows, cudaStream_t stream);

// 16 bytes at a time, as many as there are.
void copy(std::byte* to, const std::byte* from, std::int64_t bytes, cudaStream_t stream);

}  // namespace bench::cuda
