#include "kernels/cpu/simd.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/cpu/convert.h"
#include "kernels/number_formats.h"

// Vector conversions against number_formats.h, on every instruction set this CPU has.
namespace bench {
namespace {

class Simd : public testing::TestWithParam<simd::Level> {
 protected:
  Simd() { simd::use_level(GetParam()); }
  ~Simd() override { simd::use_level(simd::best_level()); }
  Simd(const Simd&) = delete;
  Simd& operator=(const Simd&) = delete;
};

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

struct WidenE4m3 {
  template <int Bytes>
  [[gnu::always_inline]] static void run(const std::uint8_t* codes, float* values) {
    constexpr int kCount = simd::Lanes<Bytes>::kCount;
    for (int i = 0; i < 256; i += 2 * kCount) {
      const auto pair = simd::load_e4m3<Bytes>(codes + i);
      simd::store(values + i, pair.first);
      simd::store(values + i + kCount, pair.second);
    }
  }
};

struct E4m3ToBf16 {
  template <int Bytes>
  [[gnu::always_inline]] static void run(const std::uint8_t* codes, std::uint16_t* values) {
    using U16 = simd::Vector<std::uint16_t, Bytes>;
    for (int i = 0; i < 256; i += Bytes / 2) {
      const auto loaded = simd::load<simd::Vector<std::uint8_t, Bytes / 2>>(codes + i);
      simd::store(values + i, simd::e4m3_to_bf16(U16(__builtin_convertvector(loaded, U16))));
    }
  }
};

struct Narrow {
  template <int Bytes>
  [[gnu::always_inline]] static void run(const float* values, std::int64_t count,
                                         std::uint8_t* codes, std::uint16_t* halves) {
    using F32 = typename simd::Lanes<Bytes>::F32;
    for (std::int64_t i = 0; i < count; i += simd::Lanes<Bytes>::kCount) {
      simd::store_e4m3<Bytes>(codes + i, simd::load<F32>(values + i));
      simd::store_bf16<Bytes>(halves + i, simd::load<F32>(values + i));
    }
  }
};

struct Exp2 {
  template <int Bytes>
  [[gnu::always_inline]] static void run(float* values, std::int64_t count) {
    using F32 = typename simd::Lanes<Bytes>::F32;
    for (std::int64_t i = 0; i < count; i += simd::Lanes<Bytes>::kCount) {
      simd::store(values + i, simd::exp2<Bytes>(simd::load<F32>(values + i)));
    }
  }
};

TEST_P(Simd, WidensEveryCode) {
  std::vector<std::uint8_t> codes(256);
  for (int code = 0; code < 256; ++code)
    codes[static_cast<std::size_t>(code)] = static_cast<std::uint8_t>(code);
  std::vector<float> values(256);
  std::vector<std::uint16_t> halves(256);
  simd::run<WidenE4m3>(static_cast<const std::uint8_t*>(codes.data()), values.data());
  simd::run<E4m3ToBf16>(static_cast<const std::uint8_t*>(codes.data()), halves.data());
  for (const std::uint8_t code : codes) {
    if (e4m3_is_nan(code)) {
      EXPECT_TRUE(std::isnan(values[code]));
      EXPECT_TRUE(std::isnan(bf16_to_float(halves[code])));
    } else {
      EXPECT_EQ(bits(values[code]), bits(e4m3_to_float(code))) << int{code};
      EXPECT_EQ(halves[code], float_to_bf16(e4m3_to_float(code))) << int{code};
    }
  }
}

TEST_P(Simd, NarrowsAsTheFormatsSay) {
  std::vector<float> values;
  for (std::uint64_t pattern = 0; pattern <= 0xffffffffU; pattern += 0xc0ffU) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(pattern)));
  }
  // The halfway points, where rounding is decided.
  for (std::uint8_t code = 0; code < 126; ++code) {
    const float low = e4m3_to_float(code);
    const float high = e4m3_to_float(static_cast<std::uint8_t>(code + 1));
    for (const float tie : {(low + high) / 2, -(low + high) / 2}) {
      values.push_back(tie);
      values.push_back(std::nextafter(tie, 0.0F));
      values.push_back(std::nextafter(tie, 1e9F));
    }
  }
  values.resize((values.size() + 15) / 16 * 16, INFINITY);
  std::vector<std::uint8_t> codes(values.size());
  std::vector<std::uint16_t> halves(values.size());
  simd::run<Narrow>(static_cast<const float*>(values.data()),
                    static_cast<std::int64_t>(values.size()), codes.data(), halves.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(codes[i], float_to_e4m3(values[i])) << values[i];
    ASSERT_EQ(halves[i], float_to_bf16(values[i])) << values[i];
  }
}

TEST_P(Simd, RaisesTwoToAccuratePowers) {
  std::vector<float> values;
  for (int i = 0; i < 160'000; ++i) values.push_back(static_cast<float>(-i) / 1000);
  std::vector<float> powers = values;
  simd::run<Exp2>(powers.data(), static_cast<std::int64_t>(powers.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = values[i] < -126 ? 0 : std::exp2(double{values[i]});
    ASSERT_NEAR(powers[i], expected, 2e-7 * expected) << values[i];
  }
}

std::string name_of(const testing::TestParamInfo<simd::Level>& level) {
  const std::array<std::string, 3> names{"baseline", "v3", "v4"};
  return names[static_cast<std::size_t>(level.param)];
}

INSTANTIATE_TEST_SUITE_P(Levels, Simd,
                         testing::Values(simd::Level::baseline, simd::Level::v3, simd::Level::v4),
                         name_of);

}  // namespace
}  // namespace bench
