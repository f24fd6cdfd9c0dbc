#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "harness/error.h"
#include "harness/format.h"
#include "harness/units.h"
#include "workloads/gpus.h"
#include "workloads/parameters.h"

namespace bench {
namespace {

constexpr std::size_t kLongestText = 4096;

struct Range {
  double low;
  double high;
};

constexpr Range kScale{1e-9, 1e9};
constexpr double kSecondsOfDay = 86400;

std::string bound_text(const ParameterInfo& info, double bound) {
  if (info.kind != ParameterKind::count) return to_text(info, bound);
  return to_text(info, static_cast<std::int64_t>(bound));
}

// The value of a numeric parameter, when it is a number and in range.
double checked_number(const ParameterInfo& info, const ParameterValue& value) {
  double number = std::numeric_limits<double>::quiet_NaN();
  if (const auto* count = std::get_if<std::int64_t>(&value)) number = static_cast<double>(*count);
  if (const auto* real = std::get_if<double>(&value)) number = *real;
  if (std::isnan(number)) fail_usage(format("{}: expected a number", info.name));
  if (number < info.low || number > info.high) {
    fail_usage(format("{}: {} is out of range ({} to {})", info.name, to_text(info, value),
                      bound_text(info, info.low), bound_text(info, info.high)));
  }
  return number;
}

ParameterInfo count(std::string_view name, std::int64_t Parameters::*member, Range range,
                    std::string_view help) {
  ParameterInfo info{name, ParameterKind::count, help, range.low, range.high};
  info.get = [member](const Parameters& p) { return ParameterValue(p.*member); };
  info.set = [member, info](Parameters& p, const ParameterValue& value) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    if (whole == nullptr) fail_usage(format("{}: expected a whole number", info.name));
    checked_number(info, value);
    p.*member = *whole;
  };
  return info;
}

ParameterInfo number(std::string_view name, ParameterKind kind, double Parameters::*member,
                     Range range, std::string_view help) {
  ParameterInfo info{name, kind, help, range.low, range.high};
  const bool milliseconds = kind == ParameterKind::seconds && name.ends_with("_ms");
  info.unit = milliseconds ? 1e-3 : 1.0;
  info.get = [member, unit = info.unit](const Parameters& p) {
    return ParameterValue(p.*member / unit);
  };
  info.set = [member, info](Parameters& p, const ParameterValue& value) {
    p.*member = checked_number(info, value) * info.unit;
  };
  return info;
}

ParameterInfo seconds(std::string_view name, double Parameters::*member, Range range,
                      std::string_view help) {
  return number(name, ParameterKind::seconds, member, range, help);
}

ParameterInfo real(std::string_view name, double Parameters::*member, Range range,
                   std::string_view help) {
  return number(name, ParameterKind::real, member, range, help);
}

ParameterInfo fraction(std::string_view name, double Parameters::*member, std::string_view help) {
  return number(name, ParameterKind::fraction, member, {0, 1}, help);
}

ParameterInfo text(std::string_view name, std::string Parameters::*member, std::string_view help) {
  ParameterInfo info{name, ParameterKind::text, help};
  info.get = [member](const Parameters& p) { return ParameterValue(p.*member); };
  info.set = [member, name](Parameters& p, const ParameterValue& value) {
    const auto* words = std::get_if<std::string>(&value);
    if (words == nullptr) fail_usage(format("{}: expected text", name));
    if (words->size() > kLongestText) {
      fail_usage(format("{}: longer than {} bytes", name, kLongestText));
    }
    p.*member = *words;
  };
  return info;
}

// Kept in one form, so that equal choices are equal cases.
ParameterInfo gpus() {
  ParameterInfo info = text("gpus", &Parameters::gpus,
                            "all, a count, or ids such as [0, 3]; on a CPU: ranks on its cores");
  info.list = true;
  info.set = [set = info.set](Parameters& p, const ParameterValue& value) {
    Parameters scratch;
    set(scratch, value);
    p.gpus = to_text(parse_gpus(scratch.gpus));
  };
  return info;
}

template <typename Enum>
ParameterInfo choice(std::string_view name, Enum Parameters::*member,
                     std::vector<std::string_view> choices, std::string_view help) {
  ParameterInfo info{name, ParameterKind::choice, help};
  info.choices = std::move(choices);
  info.get = [member, all = info.choices](const Parameters& p) {
    return ParameterValue(std::string(all.at(static_cast<std::size_t>(p.*member))));
  };
  info.set = [member, name, all = info.choices](Parameters& p, const ParameterValue& value) {
    const auto* word = std::get_if<std::string>(&value);
    const auto it = word == nullptr ? all.end() : std::ranges::find(all, *word);
    if (it == all.end()) {
      fail_usage(format("{}: no choice '{}' (there are: {})", name, word == nullptr ? "" : *word,
                        join(all, ", ")));
    }
    p.*member = static_cast<Enum>(it - all.begin());
  };
  return info;
}

std::vector<ParameterInfo> model_parameters() {
  using P = Parameters;
  return {
      text("model", &P::model, "preset of workloads/models, or a path to one"),
      count("layers", &P::layers, {1, 4096}, "layers with MLA attention"),
      count("hidden", &P::hidden, {1, 1 << 20}, "width of the residual stream"),
      count("heads", &P::heads, {1, 4096}, "query heads of the whole model"),
      count("kv_lora_rank", &P::kv_lora_rank, {1, 16384}, "latent columns of a KV row"),
      count("qk_rope_head_dim", &P::qk_rope_head_dim, {0, 16384}, "rotated columns of a KV row"),
      count("qk_nope_head_dim", &P::qk_nope_head_dim, {1, 16384},
            "unrotated columns of a head's key; with the rotated ones it scales the scores"),
      count("v_head_dim", &P::v_head_dim, {1, 16384}, "columns of a head's value"),
  };
}

std::vector<ParameterInfo> step_parameters() {
  using P = Parameters;
  return {
      count("context", &P::context, {1, 1 << 27},
            "tokens of each request; of its prompt over HTTP"),
      count("concurrency", &P::concurrency, {1, 1 << 20}, "requests decoded together"),
      count("query_tokens", &P::query_tokens, {1, 64}, "tokens a request adds in a step"),
      count("pool_tokens", &P::pool_tokens, {0, 1 << 30},
            "slots preallocated a layer; 0: just what is active"),
      count("page_size", &P::page_size, {1, 4096}, "slots of a page"),
      choice("placement", &P::placement, {"scattered", "contiguous"},
             "where a request's pages lie"),
      choice("launch", &P::launch, {"graph", "eager"},
             "the step captured and replayed, or launched"),
      count("tensor_parallel", &P::tensor_parallel, {1, 4096}, "ranks that share the heads"),
      choice("parallel", &P::parallel, {"tensor", "replica", "context"},
             "what several GPUs share: heads, nothing, or each request's tokens"),
      gpus(),
      count("allreduce_per_layer", &P::allreduce_per_layer, {0, 8},
            "all-reduces of [new tokens, hidden] in BF16 between tensor ranks"),
      real("k_scale", &P::k_scale, kScale, "K = k_scale x stored value"),
      real("v_scale", &P::v_scale, kScale, "V = v_scale x stored value"),
  };
}

std::vector<ParameterInfo> server_parameters() {
  using P = Parameters;
  return {
      count("output_tokens", &P::output_tokens, {1, 1 << 27}, "tokens asked of each request"),
      real("request_rate_per_s", &P::request_rate_per_s, {0, 1e6},
           "open loop at this rate; 0: closed loop at `concurrency`"),
      choice("arrival", &P::arrival, {"poisson", "constant"}, "gaps of the open loop"),
      fraction("cached_fraction", &P::cached_fraction,
               "share of each prompt in the prefix cache; 0: cold"),
      text("engine", &P::engine, "dialect of the server; auto: ask it"),
  };
}

std::vector<ParameterInfo> server_remarks() {
  using P = Parameters;
  return {
      text("endpoint", &P::endpoint, "URL of the live server"),
      text("served_model", &P::served_model, "model name in requests; empty: ask the server"),
      count("server_gpus", &P::server_gpus, {0, 1 << 20}, "GPUs of the server; 0: unknown"),
      count("requests", &P::requests, {0, 1 << 30}, "requests measured; 0: as duration_s allows"),
      seconds("duration_s", &P::duration_s, {0, 7 * kSecondsOfDay}, "length of the steady window"),
      seconds("warm_up_s", &P::warm_up_s, {0, kSecondsOfDay}, "load before the window"),
      seconds("ramp_s", &P::ramp_s, {0, kSecondsOfDay}, "time over which users join"),
      seconds("request_timeout_s", &P::request_timeout_s, {0.001, 7 * kSecondsOfDay},
              "a request longer than this has failed"),
      seconds("stall_timeout_s", &P::stall_timeout_s, {0.001, 7 * kSecondsOfDay},
              "a stream silent for longer has failed"),
      text("api_key_env", &P::api_key_env, "environment variable that holds the key"),
      text("api_key_file", &P::api_key_file, "file that holds the key"),
      choice("flush_cache", &P::flush_cache, {"never", "before_pass"},
             "whether the server is told to empty its prefix cache, where it can"),
      choice("tls", &P::tls, {"verify", "insecure"}, "whether certificates are verified"),
  };
}

std::vector<ParameterInfo> remarks() {
  using P = Parameters;
  return {
      choice("device", &P::device, {"auto", "cpu", "cuda"}, "where kernels run"),
      choice("busy_gpus", &P::busy_gpus, {"refuse", "allow"},
             "several GPUs of which others use one"),
      seconds("rest_of_step_ms", &P::rest_of_step_s, {0, 1e6},
              "time of a step outside attention, for the projected TPOT; 0: unknown"),
      text("rest_of_step_source", &P::rest_of_step_source, "where rest_of_step_ms comes from"),
      text("script", &P::script, "what the fake runner plays"),
  };
}

std::vector<ParameterInfo> build_table() {
  std::vector<ParameterInfo> table;
  const auto add = [&](std::vector<ParameterInfo> rows, ParameterScope scope, bool identity) {
    for (auto& row : rows) {
      row.scope = scope;
      row.identity = identity;
      table.push_back(std::move(row));
    }
  };
  add(model_parameters(), ParameterScope::model, true);
  add(step_parameters(), ParameterScope::step, true);
  add(server_parameters(), ParameterScope::server, true);
  add(server_remarks(), ParameterScope::server, false);
  add(remarks(), ParameterScope::remark, false);
  return table;
}

}  // namespace

std::span<const ParameterInfo> parameter_table() {
  static const std::vector<ParameterInfo> kTable = build_table();
  return kTable;
}

const ParameterInfo* find_parameter(std::string_view name) {
  const auto table = parameter_table();
  const auto it = std::ranges::find(table, name, &ParameterInfo::name);
  return it == table.end() ? nullptr : &*it;
}

}  // namespace bench
