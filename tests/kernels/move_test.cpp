#include "kernels/cpu/move.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/host.h"
#include "kernels/number_formats.h"

namespace bench {
namespace {

constexpr std::int64_t kRow = 576;

// Sizes on both sides of the one from which results are written past the caches.
std::vector<std::int64_t> row_counts() { return {0, 1, 3, 17, last_level_cache() / 8 / kRow + 9}; }

class Move : public testing::Test {
 protected:
  // `rows` rows of random codes, NaN codes included.
  Buffer random_rows(std::int64_t rows) {
    Buffer buffer = device_.allocate(static_cast<std::size_t>(rows * kRow));
    device_.fill_random(buffer.as<void>(), buffer.bytes(), 1);
    return buffer;
  }

  static bool is_cast(std::uint16_t value, std::uint8_t code) {
    return e4m3_is_nan(code) ? (value & 0x7fffU) > 0x7f80U
                             : value == float_to_bf16(e4m3_to_float(code));
  }

  // Whether row i of `cast` is the cast of row index[i] of `codes`.
  static bool are_casts(const std::uint16_t* cast, const std::uint8_t* codes,
                        const std::vector<std::int32_t>& index) {
    for (std::size_t i = 0; i < index.size(); ++i) {
      const std::uint8_t* row = codes + index[i] * kRow;
      const std::uint16_t* own = cast + static_cast<std::int64_t>(i) * kRow;
      if (!std::equal(own, own + kRow, row, is_cast)) return false;
    }
    return true;
  }

  static std::vector<std::int32_t> shuffled(std::int64_t count) {
    std::vector<std::int32_t> index(static_cast<std::size_t>(count));
    std::iota(index.begin(), index.end(), 0);
    std::ranges::shuffle(index, std::mt19937(2));
    return index;
  }

  CpuDevice device_;
};

TEST_F(Move, CastsEveryCodeInPlaceAndOrder) {
  for (const std::int64_t rows : row_counts()) {
    const Buffer from = random_rows(rows);
    const Buffer to = device_.allocate(static_cast<std::size_t>(rows * kRow * 2));
    cast_e4m3(device_.threads(), to.as<std::uint16_t>(), from.as<std::uint8_t>(), rows * kRow);
    std::vector<std::int32_t> in_order(static_cast<std::size_t>(rows));
    std::iota(in_order.begin(), in_order.end(), 0);
    EXPECT_TRUE(are_casts(to.as<std::uint16_t>(), from.as<std::uint8_t>(), in_order)) << rows;
  }
}

TEST_F(Move, GathersTheRowsOfTheIndex) {
  for (const std::int64_t rows : row_counts()) {
    const Buffer from = random_rows(rows);
    const Buffer to = device_.allocate(static_cast<std::size_t>(rows * kRow));
    const auto index = shuffled(rows);
    gather_rows(device_.threads(), to.as<std::byte>(), from.as<std::byte>(), kRow, index);
    bool right = true;
    for (std::size_t i = 0; i < index.size(); ++i) {
      const std::byte* row = from.as<std::byte>() + index[i] * kRow;
      right = right &&
              std::equal(row, row + kRow, to.as<std::byte>() + static_cast<std::int64_t>(i) * kRow);
    }
    EXPECT_TRUE(right) << rows;
  }
}

TEST_F(Move, GathersAndCastsInOnePass) {
  for (const std::int64_t rows : row_counts()) {
    const Buffer from = random_rows(rows);
    const Buffer to = device_.allocate(static_cast<std::size_t>(rows * kRow * 2));
    const auto index = shuffled(rows);
    gather_cast_rows(device_.threads(), to.as<std::uint16_t>(), from.as<std::uint8_t>(), kRow,
                     index);
    EXPECT_TRUE(are_casts(to.as<std::uint16_t>(), from.as<std::uint8_t>(), index)) << rows;
  }
}

TEST_F(Move, CopiesByEitherWay) {
  for (const std::int64_t bytes : {64L, 4096L, 16384L, 100'032L}) {
    const Buffer from = device_.allocate(static_cast<std::size_t>(bytes));
    device_.fill_random(from.as<void>(), from.bytes(), 3);
    for (const auto copy : {copy_streaming, copy_cached}) {
      const Buffer to = device_.allocate(static_cast<std::size_t>(bytes));
      copy(device_.threads(), to.as<std::byte>(), from.as<std::byte>(), bytes);
      EXPECT_TRUE(std::equal(to.as<std::byte>(), to.as<std::byte>() + bytes, from.as<std::byte>()));
    }
  }
}

TEST_F(Move, CastsOnlyTheRowsNamed) {
  const Buffer from = random_rows(8);
  std::vector<std::uint16_t> to(8 * kRow, 0x1234);
  cast_rows(device_.threads(), to.data(), from.as<std::uint8_t>(), kRow,
            std::vector<std::int64_t>{6, 2});
  for (std::int64_t row = 0; row < 8; ++row) {
    const std::uint16_t* own = to.data() + row * kRow;
    if (row == 2 || row == 6) {
      EXPECT_TRUE(std::equal(own, own + kRow, from.as<std::uint8_t>() + row * kRow, is_cast));
    } else {
      EXPECT_EQ(std::count(own, own + kRow, 0x1234), kRow);
    }
  }
}

}  // namespace
}  // namespace bench
