#include "results/trace/classes.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace bench {
namespace {

using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    const auto& [a, b, c, d, e] = key;
    std::size_t hash = 0;
    for (const std::uint32_t part : {a, b, c, d, e}) hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
  }
};

Key key_of(const Trace& trace, const Activity& activity) {
  if (activity.op == kNone) return {activity.name, activity.shape, kNone, kNone, kNone};
  const Operator& op = trace.ops[activity.op];
  return {activity.name, activity.shape, op.name, op.dims, op.types};
}

bool is_newer_torch(const Trace& trace) {
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    for (const char* wide :
         {"vectorized_elementwise_kernel<8", "vectorized_elementwise_kernel<16"}) {
      if (trace.names[i].find(wide) != std::string::npos) return true;
    }
  }
  return false;
}

void work_out(const Trace& trace, bool newer_torch, KernelClass& c) {
  LaunchText launch{.kernel = trace.names[c.name],
                    .shape = trace.shapes[c.shape],
                    .kind = c.kind,
                    .newer_torch = newer_torch};
  if (c.op != kNone) {
    const Operator& op = trace.ops[c.op];
    launch.op = {trace.names[op.name], trace.names[op.dims], trace.names[op.types]};
  }
  c.category = categorise(launch.kernel, c.kind);
  c.work = work_of(launch);
  c.tokens = c.category == Category::gemm ? gemm_rows(launch.op) : 0;
}

// For each class without an operator, the only one with the same kernel and grid that has one.
std::vector<std::uint32_t> merged(const std::vector<KernelClass>& all) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> alike;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (all[i].op != kNone) alike[{all[i].name, all[i].shape}].push_back(i);
  }
  std::vector<std::uint32_t> to(all.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const auto found = alike.find({all[i].name, all[i].shape});
    to[i] = all[i].op == kNone && found != alike.end() && found->second.size() == 1
                ? found->second.front()
                : i;
  }
  return to;
}

}  // namespace

Classes classify(const Trace& trace, std::span<const Activity> activities) {
  Classes classes;
  std::unordered_map<Key, std::uint32_t, KeyHash> known;
  classes.of.reserve(activities.size());
  for (const Activity& activity : activities) {
    const auto number = static_cast<std::uint32_t>(classes.all.size());
    const auto [found, is_new] = known.emplace(key_of(trace, activity), number);
    if (is_new) {
      classes.all.push_back({.name = activity.name,
                             .shape = activity.shape,
                             .op = activity.op,
                             .kind = activity.kind,
                             .work = {}});
    }
    classes.of.push_back(found->second);
  }
  const bool newer = is_newer_torch(trace);
  for (KernelClass& c : classes.all) work_out(trace, newer, c);
  const std::vector<std::uint32_t> to = merged(classes.all);
  for (std::uint32_t& c : classes.of) c = to[c];
  return classes;
}

}  // namespace bench
