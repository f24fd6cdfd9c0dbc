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
enum class DeviceChoice { automatic, cpu, cuda };
enum class Parallel { tensor, replica, context };
enum class BusyGpus { refuse, allow };
enum class Arrival { poisson, constant };
enum class Tls { verify, insecure };
enum class FlushCache { never, before_pass };

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
  Parallel parallel = Parallel::tensor;  // what several GPUs share (kernels/part.h)
  std::string gpus = "all";              // "all", a count ("2"), or ids ("0,3", "[5]")
  std::int64_t allreduce_per_layer = 1;  // of [new tokens, hidden] BF16, between tensor ranks
  double k_scale = 1.0;
  double v_scale = 1.0;

  // The live server. `context` is the length of the prompt, `concurrency` the users (or the most
  // requests in flight, when a rate is given).
  std::int64_t output_tokens = 256;
  double request_rate_per_s = 0.0;  // 0: closed loop at `concurrency`
  Arrival arrival = Arrival::poisson;
  double cached_fraction = 0.0;  // of each prompt, held by the prefix cache; 0: cold, and proven so
  std::string engine = "auto";   // the dialect spoken; auto: the server is asked

  // Not part of a case's identity: where and for how long it is measured, and remarks.
  std::string endpoint;          // URL of a live server
  std::string served_model;      // name in the requests; empty: the server is asked
  std::int64_t server_gpus = 0;  // for tokens/s/GPU; 0: unknown
  std::int64_t requests = 0;     // measured in a replicate; 0: as many as duration_s allows
  double duration_s = 30.0;      // of the steady window; 0: until `requests` are done
  double warm_up_s = 5.0;        // of load before the window
  double ramp_s = 0.0;           // over which the users of a closed loop join
  double request_timeout_s = 600.0;
  double stall_timeout_s = 60.0;  // a stream without a token event for so long has failed
  std::string api_key_env;        // names of where the key is; never the key
  std::string api_key_file;
  Tls tls = Tls::verify;
  FlushCache flush_cache = FlushCache::never;     // of the server's prefix cache
  DeviceChoice device = DeviceChoice::automatic;  // automatic: the GPUs, or else the CPU
  BusyGpus busy_gpus = BusyGpus::refuse;          // several GPUs, one of them in use by others
  double rest_of_step_s = 0.0;                    // everything that is not attention; 0: unknown
  std::string rest_of_step_source;
  std::string script;  // the fake runner's

  bool operator==(const Parameters&) const = default;
};

enum class ParameterKind { count, seconds, real, fraction, text, choice };

// model: given by a preset. step: the decode step. server: a live server. remark: the rest.
enum class ParameterScope { model, step, server, remark };

// A value as SQL and JSON hold it: int64 for a count, double for seconds (in the unit that ends the
// parameter's name), real and fraction, text for the others.
using ParameterValue = std::variant<std::int64_t, double, std::string>;

// One row of the table. Names that leave the program end in their unit unless the count names it.
struct ParameterInfo {
  std::string_view name;  // YAML key, --set key, SQL and JSON name
  ParameterKind kind;
  std::string_view help;
  double low = 0;  // inclusive range of a number, in the unit of the name
  double high = 0;
  double unit = 1;                             // seconds in one unit of a time's name
  std::vector<std::string_view> choices = {};  // of a choice, in order of the enum
  ParameterScope scope = ParameterScope::step;
  bool list = false;     // of a text: may be written as a list, [0, 3]
  bool identity = true;  // false: two cases that differ only here are the same case
  std::function<ParameterValue(const Parameters&)> get = {};
  std::function<void(Parameters&, const ParameterValue&)> set = {};  // throws Error: out of range
};

std::span<const ParameterInfo> parameter_table();
const ParameterInfo* find_parameter(std::string_view name);  // nullptr: no such

// Parses human text ("4k", "64.6ms", "scattered") for one parameter and sets it. Throws Error
// (exit 2) that names the parameter, what is wrong and what would be right.
void set_from_text(Parameters& parameters, const ParameterInfo& info, std::string_view text);

// The value as people write it: 4096 -> "4k".
std::string to_text(const ParameterInfo& info, const ParameterValue& value);
std::string to_text(const Parameters& parameters, const ParameterInfo& info);

}  // namespace bench
