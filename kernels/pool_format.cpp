#include "kernels/pool_format.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "harness/error.h"
#include "kernels/number_formats.h"

namespace bench {
namespace {

std::byte e4m3_byte(float value) { return std::byte{float_to_e4m3(value)}; }

double e4m3_value(std::byte code) { return e4m3_to_float(std::to_integer<std::uint8_t>(code)); }

template <typename T>
void put(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

template <typename T>
T get(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

void encode_bf16(std::span<const float> values, std::byte* row) {
  for (const float value : values) {
    put(row, float_to_bf16(value));
    row += 2;
  }
}

void decode_bf16(const std::byte* row, std::span<double> values) {
  for (double& value : values) {
    value = bf16_to_float(get<std::uint16_t>(row));
    row += 2;
  }
}

// latent codes | one scale a tile | rope
void encode_tiles(std::size_t latent, std::span<const float> values, std::byte* row) {
  std::byte* scales = row + latent;
  for (std::size_t tile = 0; tile < latent; tile += kScaleTile) {
    float largest = kSmallestTileMaximum;
    for (std::size_t c = 0; c < kScaleTile; ++c) {
      largest = std::max(largest, std::abs(values[tile + c]));
    }
    const float scale = largest / 448.0F;
    for (std::size_t c = 0; c < kScaleTile; ++c)
      row[tile + c] = e4m3_byte(values[tile + c] / scale);
    put(scales, scale);
    scales += sizeof scale;
  }
  encode_bf16(values.subspan(latent), scales);
}

void decode_tiles(std::size_t latent, const std::byte* row, std::span<double> values) {
  const std::byte* scales = row + latent;
  for (std::size_t tile = 0; tile < latent; tile += kScaleTile) {
    const double scale = get<float>(scales);
    for (std::size_t c = 0; c < kScaleTile; ++c)
      values[tile + c] = e4m3_value(row[tile + c]) * scale;
    scales += sizeof(float);
  }
  decode_bf16(scales, values.subspan(latent));
}

}  // namespace

std::string to_string(PoolFormat format) {
  switch (format) {
    case PoolFormat::e4m3:
      return "e4m3";
    case PoolFormat::bf16:
      return "bf16";
    case PoolFormat::ds_mla656:
      return "ds_mla656";
  }
  fail("unknown pool format");
}

std::int64_t row_bytes(PoolFormat format, const StepShape& shape) {
  switch (format) {
    case PoolFormat::e4m3:
      return shape.row_dim();
    case PoolFormat::bf16:
      return shape.row_dim() * 2;
    case PoolFormat::ds_mla656:
      return shape.latent + shape.latent / kScaleTile * 4 + shape.rope * 2;
  }
  fail("unknown pool format");
}

void encode_row(PoolFormat format, const StepShape& shape, std::span<const float> values,
                std::byte* row) {
  if (format == PoolFormat::e4m3) {
    std::ranges::transform(values, row, e4m3_byte);
  } else if (format == PoolFormat::bf16) {
    encode_bf16(values, row);
  } else {
    encode_tiles(static_cast<std::size_t>(shape.latent), values, row);
  }
}

void decode_row(PoolFormat format, const StepShape& shape, const std::byte* row,
                std::span<double> values) {
  if (format == PoolFormat::e4m3) {
    std::transform(row, row + values.size(), values.begin(), e4m3_value);
  } else if (format == PoolFormat::bf16) {
    decode_bf16(row, values);
  } else {
    decode_tiles(static_cast<std::size_t>(shape.latent), row, values);
  }
}

}  // namespace bench
