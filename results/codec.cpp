#include "results/codec.h"

#include <cmath>
#include <cstring>
#include <variant>

#include "harness/error.h"
#include "harness/format.h"
#include "results/base64.h"

namespace bench {
namespace {

// The optional numbers of a device's state: member of the struct, name outside.
struct ReadingField {
  std::optional<double> Telemetry::*member;
  const char* name;
};
constexpr ReadingField kReadings[] = {{&Telemetry::temperature_c, "temperature_c"},
                                      {&Telemetry::power_w, "power_w"},
                                      {&Telemetry::energy_j, "energy_j"},
                                      {&Telemetry::sm_clock_hz, "sm_clock_hz"}};

ParameterValue read_value(const Json& json, ParameterKind kind) {
  if (kind == ParameterKind::text || kind == ParameterKind::choice) return json.text();
  if (kind == ParameterKind::count) return json.count();
  return json.number();
}

void write_stages(JsonWriter& out, const std::vector<StageResult>& stages) {
  out.key("stages").begin_array();
  for (const auto& stage : stages) {
    out.begin_object().member("stage", stage.stage);
    out.member("seconds", stage.seconds).member("bytes", stage.bytes).end_object();
  }
  out.end_array();
}

void write_metrics(JsonWriter& out, const std::vector<Metric>& metrics) {
  out.key("metrics").begin_array();
  for (const auto& metric : metrics) {
    out.begin_object().member("name", metric.name).member("value", metric.value);
    if (metric.version != 0) out.member("version", metric.version);
    out.end_object();
  }
  out.end_array();
}

std::vector<StageResult> read_stages(const Json& json) {
  std::vector<StageResult> stages;
  for (const auto& stage : json.items()) {
    stages.push_back({.stage = stage.at("stage").text(),
                      .seconds = stage.at("seconds").number(),
                      .bytes = stage.at("bytes").number()});
  }
  return stages;
}

std::vector<Metric> read_metrics(const Json& json) {
  std::vector<Metric> metrics;
  for (const auto& metric : json.items()) {
    metrics.push_back({.name = metric.at("name").text(),
                       .value = metric.at("value").number(),
                       .version = static_cast<int>(metric.count_or("version", 0))});
  }
  return metrics;
}

Status read_status(const Json& json) {
  try {
    return status_from(json.text());
  } catch (const Error& error) {
    json.refuse(format("a known status ({})", error.what()));
  }
}

// As the store holds them: little-endian IEEE 754. A thousand ranks are too many for text.
std::string bytes_of(const std::vector<double>& values) {
  for (const double value : values) {
    if (!std::isfinite(value)) fail("rank_samples_s: not a finite number");
  }
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

std::vector<double> doubles_of(const std::string& bytes) {
  std::vector<double> values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

template <typename T>
std::string line_of(const T& content) {
  JsonWriter out;
  write_json(out, content);
  return out.take();
}

}  // namespace

void write_json(JsonWriter& out, const Parameters& parameters, ParameterSet which) {
  static const Parameters kNeutral;
  out.begin_object();
  for (const auto& info : parameter_table()) {
    const ParameterValue value = info.get(parameters);
    const bool setting = !info.identity && value != info.get(kNeutral);
    if (which == ParameterSet::identity && !info.identity) continue;
    if (which == ParameterSet::settings && !setting) continue;
    std::visit([&](const auto& content) { out.member(info.name, content); }, value);
  }
  out.end_object();
}

void read_into(Parameters& parameters, const Json& json) {
  for (const auto& info : parameter_table()) {
    if (const auto member = json.find(info.name)) {
      info.set(parameters, read_value(*member, info.kind));
    }
  }
}

void write_json(JsonWriter& out, const Case& c) {
  out.begin_object().member("id", case_id(c));
  out.member("runner", c.runner).member("variant", c.variant).key("parameters");
  write_json(out, c.parameters, ParameterSet::all);
  out.end_object();
}

Case read_case(const Json& json) {
  Case c{
      .runner = json.at("runner").text(), .variant = json.at("variant").text(), .parameters = {}};
  read_into(c.parameters, json.at("parameters"));
  const std::string id = json.text_or("id", case_id(c));
  if (id != case_id(c))
    json.refuse(format("the case of id {} (its parameters give {})", id, case_id(c)));
  return c;
}

void write_json(JsonWriter& out, const Telemetry& telemetry) {
  out.begin_object();
  for (const auto& [member, name] : kReadings) {
    if (telemetry.*member) out.member(name, *(telemetry.*member));
  }
  out.member("throttle_reasons", telemetry.throttle_reasons);
  out.member("other_processes", telemetry.other_processes).end_object();
}

Telemetry read_telemetry(const Json& json) {
  Telemetry telemetry;
  for (const auto& [member, name] : kReadings) {
    if (const auto reading = json.find(name)) telemetry.*member = reading->number();
  }
  telemetry.throttle_reasons = json.text_or("throttle_reasons", "");
  telemetry.other_processes = json.text_or("other_processes", "");
  return telemetry;
}

void write_json(JsonWriter& out, const Measurement& m) {
  out.begin_object().key("case");
  write_json(out, m.what);
  write_members(out, m);
  out.end_object();
}

void write_members(JsonWriter& out, const Measurement& m) {
  out.member("workload", m.workload).member("replicate", m.replicate);
  out.member("status", to_string(m.status)).member("reason", m.reason);
  out.member("negative_control", m.negative_control);
  out.member("started_unix_s", m.started_unix_s).member("wall_s", m.wall_s);
  out.member("samples_s", m.samples_s).member("sample_clock_hz", m.sample_clock_hz);
  if (!m.requests.empty()) out.member("requests", to_base64(m.requests));
  if (!m.rank_samples_s.empty())
    out.member("rank_samples_s", to_base64(bytes_of(m.rank_samples_s)));
  write_stages(out, m.stages);
  write_metrics(out, m.metrics);
  out.key("telemetry");
  write_json(out, m.telemetry);
}

Measurement read_measurement(const Json& json) {
  Measurement m;
  m.what = read_case(json.at("case"));
  read_members(m, json);
  return m;
}

void read_members(Measurement& m, const Json& json) {
  m.workload = json.at("workload").text();
  m.replicate = json.at("replicate").count();
  m.status = read_status(json.at("status"));
  m.reason = json.text_or("reason", "");
  if (const auto control = json.find("negative_control")) m.negative_control = control->truth();
  m.started_unix_s = json.number_or("started_unix_s", 0);
  m.wall_s = json.number_or("wall_s", 0);
  if (const auto samples = json.find("samples_s")) m.samples_s = samples->numbers();
  if (const auto clocks = json.find("sample_clock_hz")) m.sample_clock_hz = clocks->numbers();
  if (const auto requests = json.find("requests")) {
    const auto bytes = from_base64(requests->text());
    if (!bytes) requests->refuse("base64");
    m.requests = *bytes;
  }
  if (const auto ranks = json.find("rank_samples_s")) {
    const auto bytes = from_base64(ranks->text());
    if (!bytes || bytes->size() % sizeof(double) != 0) ranks->refuse("base64 of doubles");
    m.rank_samples_s = doubles_of(*bytes);
  }
  if (const auto stages = json.find("stages")) m.stages = read_stages(*stages);
  if (const auto metrics = json.find("metrics")) m.metrics = read_metrics(*metrics);
  if (const auto telemetry = json.find("telemetry")) m.telemetry = read_telemetry(*telemetry);
}

std::string to_json(const Case& c) { return line_of(c); }
std::string to_json(const Telemetry& telemetry) { return line_of(telemetry); }
std::string to_json(const Measurement& measurement) { return line_of(measurement); }

Case case_from_json(std::string_view line, const std::string& source) {
  return read_case(Json::parse(line, source));
}
Telemetry telemetry_from_json(std::string_view line, const std::string& source) {
  return read_telemetry(Json::parse(line, source));
}
Measurement measurement_from_json(std::string_view line, const std::string& source) {
  return read_measurement(Json::parse(line, source));
}

}  // namespace bench
