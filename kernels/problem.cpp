#include "kernels/problem.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "kernels/number_formats.h"
#include "kernels/random.h"
#include "kernels/threads.h"

namespace bench {
namespace {

// Each purpose draws from a stream of its own.
enum class Purpose : std::uint64_t { pages = 1ULL << 32, queries, aims, layers, pool_bytes };

std::uint64_t stream(std::uint64_t seed, Purpose purpose) {
  return hash64(seed, static_cast<std::uint64_t>(purpose));
}

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

// The first `count` of a random permutation of [0, pages) (Fisher-Yates, stopped early).
std::vector<std::int32_t> draw_pages(std::int64_t pages, std::int64_t count, std::uint64_t seed) {
  std::vector<std::int32_t> all(at(pages));
  std::iota(all.begin(), all.end(), 0);
  const std::uint64_t draws = stream(seed, Purpose::pages);
  for (std::int64_t i = 0; i < count; ++i) {
    // 32 random bits scaled to the pages left: biased by less than pages / 2^32.
    const std::uint64_t random = hash64(draws, static_cast<std::uint64_t>(i)) >> 32;
    const auto left = static_cast<std::uint64_t>(pages - i);
    std::swap(all[at(i)], all[at(i) + (random * left >> 32)]);
  }
  all.resize(at(count));
  return all;
}

// First, last and a random layer.
std::vector<int> choose_check_layers(std::int64_t layers, std::uint64_t seed) {
  const auto random = hash64(stream(seed, Purpose::layers), 0) % static_cast<std::uint64_t>(layers);
  const std::set<int> chosen{0, static_cast<int>(random), static_cast<int>(layers - 1)};
  return {chosen.begin(), chosen.end()};
}

// Values of original_value() have this mean square (they are near uniform in +-(0, 2)).
constexpr double kMeanSquare = 4.0 / 3;
constexpr double kRandomSpread = 1.5;  // of the scores of a random query
constexpr double kPeakedLead = 3;      // score of the aim over ln(tokens): e^3 / (1 + e^3) = 0.95
constexpr double kOneHotLead = 30;     // e^-30 of the softmax is left to all others

template <typename T>
Buffer upload(Device& device, const std::vector<T>& host) {
  Buffer buffer = device.allocate(host.size() * sizeof(T));
  device.upload(buffer.as<void>(), std::as_bytes(std::span(host)));
  return buffer;
}

std::vector<std::int64_t> active_slots(const StepShape& shape, const SlotMap& slots) {
  std::vector<std::int64_t> active;
  active.reserve(at(shape.active_tokens()));
  for (std::int64_t r = 0; r < shape.requests; ++r) {
    for (std::int64_t t = 0; t < shape.context[at(r)]; ++t) active.push_back(slots.slot(r, t));
  }
  return active;
}

std::vector<std::int64_t> new_slots(const StepShape& shape, const SlotMap& slots) {
  std::vector<std::int64_t> fresh;
  for (std::int64_t r = 0; r < shape.requests; ++r) {
    for (std::int64_t t = 0; t < shape.query_tokens; ++t) {
      fresh.push_back(slots.slot(r, shape.visible(r, t) - 1));
    }
  }
  return fresh;
}

}  // namespace

std::int64_t SlotMap::slot(std::int64_t request, std::int64_t token) const {
  const std::int64_t page = page_offsets[at(request)] + token / page_size;
  return std::int64_t{pages[at(page)]} * page_size + token % page_size;
}

SlotMap make_slot_map(const StepShape& shape, std::uint64_t seed) {
  SlotMap map{.page_offsets = {0}, .pages = {}, .page_size = shape.page_size};
  std::int64_t count = 0;
  for (const std::int64_t tokens : shape.context) {
    count += (tokens + shape.page_size - 1) / shape.page_size;
    map.page_offsets.push_back(static_cast<std::int32_t>(count));
  }
  if (shape.placement == Placement::scattered) {
    map.pages = draw_pages(shape.pool_tokens / shape.page_size, count, seed);
  } else {
    map.pages.resize(at(count));
    std::iota(map.pages.begin(), map.pages.end(), 0);
  }
  return map;
}

void make_new_row(const StepShape& shape, std::uint64_t row_seed, int layer, std::int64_t slot,
                  std::uint16_t* row) {
  for (std::int64_t c = 0; c < shape.row_dim(); ++c) {
    row[c] = float_to_bf16(shape.k_scale * original_value(row_seed, layer, slot, c));
  }
}

void* PoolCache::pool(PoolFormat format, int layer, std::size_t bytes) {
  auto& layers = pools_[static_cast<std::size_t>(format)];
  if (layers.size() <= at(layer)) layers.resize(at(layer) + 1);
  Buffer& buffer = layers[at(layer)];
  if (buffer.bytes() < bytes) {
    buffer = {};  // gives its memory back before asking for more
    buffer = device_.allocate(bytes);
    device_.fill_random(
        buffer.as<void>(), bytes,
        hash64(stream(static_cast<std::uint64_t>(format), Purpose::pool_bytes), at(layer)));
  }
  return buffer.as<void>();
}

void PoolCache::clear() {
  for (auto& layers : pools_) layers.clear();
}

Problem::Problem(PoolCache& pools, StepShape shape, std::uint64_t seed, Part part)
    : pools_(pools),
      shape_(std::move(shape)),
      seed_(seed),
      part_(part),
      slots_(make_slot_map(shape_, part.slot_seed(seed))),
      check_layers_(choose_check_layers(shape_.layers, seed)),
      queries_(upload(device(), make_queries())),
      new_rows_(upload(device(), make_new_rows())),
      page_offsets_(upload(device(), slots_.page_offsets)),
      pages_(upload(device(), slots_.pages)),
      contexts_(upload(device(),
                       std::vector<std::int32_t>(shape_.context.begin(), shape_.context.end()))),
      new_slots_(upload(device(), bench::new_slots(shape_, slots_))),
      active_slots_(upload(device(), active_slots(shape_, slots_))),
      output_(device().allocate(at(shape_.new_tokens() * shape_.heads * shape_.latent) * 2)),
      lse_(device().allocate(at(shape_.new_tokens() * shape_.heads) * sizeof(float))) {
  for (auto& layers : written_) layers.resize(at(shape_.layers));
}

void* Problem::pool(PoolFormat format, int layer) {
  const auto bytes = at(shape_.pool_tokens * row_bytes(format, shape_));
  void* pool = pools_.pool(format, layer, bytes);
  auto written = written_[static_cast<std::size_t>(format)].begin() + layer;
  if (!*written) {
    const std::span slots(active_slots_.as<const std::int64_t>(), at(shape_.active_tokens()));
    device().write_rows(format, pool, shape_, slots, layer, row_seed(part_.rank));
    *written = true;
  }
  return pool;
}

void Problem::forget_rows(PoolFormat format) {
  auto& layers = written_[static_cast<std::size_t>(format)];
  layers.assign(layers.size(), false);
}

const std::uint16_t* Problem::queries(int layer) const {
  const auto own = std::ranges::find(check_layers_, layer);
  const std::int64_t set = own != check_layers_.end()
                               ? own - check_layers_.begin()
                               : layer % static_cast<std::int64_t>(check_layers_.size());
  return queries_.as<std::uint16_t>() + set * shape_.new_tokens() * shape_.heads * shape_.row_dim();
}

const std::uint16_t* Problem::new_rows(int layer) const {
  return new_rows_.as<std::uint16_t>() + layer * shape_.new_tokens() * shape_.row_dim();
}

QueryAim Problem::aim(int layer, std::int64_t request, std::int64_t query_token,
                      std::int64_t head) const {
  const auto kind = static_cast<QueryKind>((request + query_token + head) % 3);
  if (kind == QueryKind::random) return {kind, -1};
  const std::int64_t visible = shape_.visible(request, query_token);
  const std::int64_t index = (request * shape_.query_tokens + query_token) * shape_.heads + head;
  const std::uint64_t seed = part_.query_seed(seed_) + at(layer);
  const std::uint64_t random = hash64(stream(seed, Purpose::aims), at(index));
  const bool shared = part_.sharers() > 1;
  const int rank = shared ? static_cast<int>((random >> 32) % at(part_.ranks)) : part_.rank;
  // The ends are where kernels go wrong: half of the aims are the oldest or the newest token.
  switch (random % 4) {
    case 0:
      return {kind, 0, rank};
    case 1:
      return {kind, visible - 1, rank};
    default:
      return {kind, static_cast<std::int64_t>((random >> 2) % at(visible)), rank};
  }
}

void Problem::make_query(int layer, std::int64_t index, std::span<std::uint16_t> query) const {
  const std::int64_t head = index % shape_.heads;
  const std::int64_t query_token = index / shape_.heads % shape_.query_tokens;
  const std::int64_t request = index / shape_.heads / shape_.query_tokens;
  const auto [kind, token, rank] = aim(layer, request, query_token, head);
  const std::int64_t visible = shape_.visible(request, query_token);
  const auto dim = static_cast<double>(shape_.row_dim());
  const double unit = double{shape_.k_scale} * shape_.softmax_scale * kMeanSquare;
  if (kind == QueryKind::random) {
    const auto factor = static_cast<float>(kRandomSpread / (unit * std::sqrt(dim)));
    const std::uint64_t values = stream(part_.query_seed(seed_), Purpose::queries);
    for (std::size_t c = 0; c < query.size(); ++c) {
      query[c] = float_to_bf16(factor *
                               original_value(values, layer, index, static_cast<std::int64_t>(c)));
    }
    return;
  }
  const double lead = kind == QueryKind::peaked ? kPeakedLead : kOneHotLead;
  const double seen = static_cast<double>(visible * part_.sharers());
  const auto factor = static_cast<float>((std::log(seen) + lead) / (unit * dim));
  const std::uint64_t rows = row_seed(rank);
  const std::int64_t slot = slots_.slot(request, token);
  // A later token of the same step, which this query must not see, tempts just as much.
  const bool has_future = query_token + 1 < shape_.query_tokens;
  const std::int64_t future = has_future ? slots_.slot(request, visible) : 0;
  for (std::size_t c = 0; c < query.size(); ++c) {
    const auto column = static_cast<std::int64_t>(c);
    float direction = original_value(rows, layer, slot, column);
    if (has_future) direction += original_value(rows, layer, future, column);
    query[c] = float_to_bf16(factor * direction);
  }
}

std::vector<std::uint16_t> Problem::make_queries() const {
  const std::int64_t per_layer = shape_.new_tokens() * shape_.heads;
  const auto layers = static_cast<std::int64_t>(check_layers_.size());
  std::vector<std::uint16_t> queries(at(layers * per_layer * shape_.row_dim()));
  Threads().for_each(layers * per_layer, [&](std::int64_t i) {
    const auto row = std::span(queries).subspan(at(i * shape_.row_dim()), at(shape_.row_dim()));
    make_query(check_layers_[at(i / per_layer)], i % per_layer, row);
  });
  return queries;
}

std::vector<std::uint16_t> Problem::make_new_rows() const {
  const auto slots = bench::new_slots(shape_, slots_);
  const std::int64_t tokens = shape_.new_tokens();
  std::vector<std::uint16_t> rows(at(shape_.layers * tokens * shape_.row_dim()));
  Threads().for_each(shape_.layers * tokens, [&](std::int64_t i) {
    make_new_row(shape_, row_seed(part_.rank), static_cast<int>(i / tokens), slots[at(i % tokens)],
                 rows.data() + i * shape_.row_dim());
  });
  return rows;
}

}  // namespace bench
