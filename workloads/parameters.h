#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bench {

enum class Placement { scattered, contiguous };
enum class Launch { graph, eager };

// Everything that defines one point of a workload, whichever runner measures it. A new parameter
// is one member here and one row of parameter_table(): YAML, --set, SQL and JSON follow.
struct Parameters {
  // The model (workloads/models/*.yaml fills these; any may be overridden).
  std::string model;
  std::int64_t layers = 1;
  std::int64_t hidden = 1;
  std::int64_t heads = 1;  // query heads of the whole model; a rank has heads / tensor_parallel
  std::int64_t kv_lora_rank = 512;
  std::int64_t qk_rope_head_dim = 64;
  std::int64_t qk_nope_head_dim = 128;
  std::int64_t v_head_dim = 128;

  // The decode step.
  std::int64_t context = 4096;    // tokens of each request, the new one included
  std::int64_t concurrency = 1;   // requests decoded together
  std::int64_t query_tokens = 1;  // tokens a request adds in a step (> 1: speculative decoding)
  std::int64_t pool_tokens = 0;   // slots preallocated a layer; 0: just what is active
  std::int64_t page_size = 1;
  Placement placement = Placement::scattered;
  Launch launch = Launch::graph;
  std::int64_t tensor_parallel = 1;
  double k_scale = 1.0;
  double v_scale = 1.0;

  // The live server.
  std::int64_t output_tokens = 256;
  double request_rate_per_s = 0.0;  // 0: closed loop at `concurrency`

  // Not part of a case's identity.
  std::string endpoint;
  double rest_of_step_s = 0.0;  // everything that is not attention; 0: unknown
  std::string script;           // the fake runner's
};

enum class ParameterKind { count, seconds, real, text, choice };

// A value as YAML and --set give it, before and after conversion.
using ParameterValue = std::variant<std::int64_t, double, std::string>;

// One row of the table. Names that leave the program end in their unit unless the count names it.
struct ParameterInfo {
  std::string_view name;  // YAML key, --set key, SQL and JSON name
  ParameterKind kind;
  std::string_view help;
  double low;  // inclusive range of a number
  double high;
  std::vector<std::string_view> choices;  // of a choice, in order of the enum
  bool identity;  // false: two cases that differ only here are the same case
  std::function<ParameterValue(const Parameters&)> get;
  std::function<void(Parameters&, const ParameterValue&)> set;  // throws Error when out of range
};

std::span<const ParameterInfo> parameter_table();
const ParameterInfo* find_parameter(std::string_view name);  // nullptr: no such

// Parses human text ("4k", "64.6ms", "scattered") for one parameter and sets it. Throws Error
// (exit 2) that names the parameter, what is wrong and what would be right.
void set_from_text(Parameters& parameters, const ParameterInfo& info, std::string_view text);

// The value as people write it: 4096 -> "4k".
std::string to_text(const Parameters& parameters, const ParameterInfo& info);

}  // namespace bench
