#include "results/export.h"

#include <map>
#include <ostream>
#include <set>

#include "harness/error.h"
#include "harness/format.h"
#include "results/codec.h"

namespace bench {
namespace {

void write_info(JsonWriter& out, const RunInfo& info) {
  out.key("run").begin_object();
  out.member("id", info.id).member("name", info.name).member("status", to_string(info.status));
  out.member("started_unix_s", info.started_unix_s);
  if (info.ended_unix_s) out.member("ended_unix_s", *info.ended_unix_s);
  out.member("host", info.host).member("tag", info.tag).member("notes", info.notes);
  out.member("argv", info.argv).member("plan_source", info.plan_source);
  out.member("fingerprint", info.fingerprint).end_object();
}

void write_environment(JsonWriter& out, const RunRecord& run) {
  out.key("environment").begin_array();
  for (const auto& fact : run.environment) {
    out.begin_object().member("name", fact.name).member("value", fact.value);
    out.member("role", to_string(fact.role)).end_object();
  }
  out.end_array().key("devices").begin_array();
  for (const auto& device : run.devices) {
    out.begin_object().member("kind", device.kind).member("ordinal", device.ordinal);
    out.member("name", device.name).member("uuid", device.uuid);
    if (device.copy_bytes_per_s) out.member("copy_bytes_per_s", *device.copy_bytes_per_s);
    out.end_object();
  }
  out.end_array();
}

void write_metric_kinds(JsonWriter& out, const RunRecord& run) {
  std::set<std::string_view> names;
  for (const auto& m : run.measurements) {
    for (const auto& metric : m.metrics) names.insert(metric.name);
  }
  out.key("metrics").begin_array();
  for (const auto& info : metric_table()) {
    if (!names.contains(info.name)) continue;
    out.begin_object().member("name", info.name).member("version", info.version);
    out.member("unit", info.unit)
        .member("better", info.better == Better::lower ? "lower" : "higher");
    out.member("definition", info.definition).end_object();
  }
  out.end_array();
}

void write_planned(JsonWriter& out, const PlannedCase& planned) {
  out.new_line().begin_object().key("case");
  write_json(out, planned.what);
  out.member("workload", planned.workload).key("axes").begin_array();
  for (const auto& axis : planned.axes) out.value(axis);
  out.end_array().member("label", planned.label).member("is_baseline", planned.is_baseline);
  out.member("replicates", planned.replicates).member("skip", planned.skip).end_object();
}

RunInfo read_info(const Json& json) {
  RunInfo info;
  info.id = json.at("id").text();
  if (info.id.size() != 32 || info.id.find_first_not_of("0123456789abcdef") != info.id.npos) {
    json.at("id").refuse("an id of 32 hex digits");
  }
  info.name = json.at("name").text();
  info.status = run_status_from(json.at("status").text());
  info.started_unix_s = json.at("started_unix_s").number();
  if (const auto ended = json.find("ended_unix_s")) info.ended_unix_s = ended->number();
  info.host = json.text_or("host", "");
  info.tag = json.text_or("tag", "");
  info.notes = json.text_or("notes", "");
  info.argv = json.text_or("argv", "");
  info.plan_source = json.text_or("plan_source", "");
  return info;
}

std::vector<Fact> read_environment(const Json& json) {
  std::vector<Fact> facts;
  for (const auto& fact : json.items()) {
    facts.push_back(
        {fact.at("name").text(), fact.at("value").text(), fact_role_from(fact.at("role").text())});
  }
  return facts;
}

std::vector<DeviceRecord> read_devices(const Json& json) {
  std::vector<DeviceRecord> devices;
  for (const auto& device : json.items()) {
    const auto copy = device.find("copy_bytes_per_s");
    devices.push_back({device.at("kind").text(), static_cast<int>(device.at("ordinal").count()),
                       device.at("name").text(), device.text_or("uuid", ""),
                       copy ? std::optional(copy->number()) : std::nullopt});
  }
  return devices;
}

PlannedCase read_planned(const Json& json) {
  PlannedCase planned;
  planned.what = read_case(json.at("case"));
  planned.workload = json.at("workload").text();
  for (const auto& axis : json.at("axes").items()) planned.axes.push_back(axis.text());
  planned.label = json.text_or("label", "");
  planned.is_baseline = json.at("is_baseline").truth();
  planned.replicates = json.at("replicates").count();
  planned.skip = json.text_or("skip", "");
  return planned;
}

}  // namespace

void export_run(std::ostream& stream, const RunRecord& run) {
  JsonWriter out;
  out.begin_object().member("schema_version", kExportVersion);
  write_info(out, run.info);
  write_environment(out, run);
  write_metric_kinds(out, run);
  out.new_line().key("plan").begin_array();
  for (const auto& planned : run.plan) write_planned(out, planned);
  out.end_array().new_line().key("measurements").begin_array();
  for (const auto& m : run.measurements) {
    out.new_line().begin_object().member("case", case_id(m.what));
    write_members(out, m);
    out.end_object();
    stream << out.take();
  }
  out.end_array().end_object();
  stream << out.take() << '\n';
}

RunRecord import_run(const Json& json) {
  const std::int64_t version = json.at("schema_version").count();
  if (version > kExportVersion) {
    json.at("schema_version")
        .refuse(format("a bench that reads exports of version {} (this one reads up to {})",
                       version, kExportVersion));
  }
  RunRecord run;
  run.info = read_info(json.at("run"));
  run.environment = read_environment(json.at("environment"));
  run.devices = read_devices(json.at("devices"));
  run.info.fingerprint = fingerprint(run.environment);
  std::map<std::string, Case> cases;
  for (const auto& planned : json.at("plan").items()) {
    run.plan.push_back(read_planned(planned));
    cases.emplace(case_id(run.plan.back().what), run.plan.back().what);
  }
  for (const auto& measured : json.at("measurements").items()) {
    const auto planned = cases.find(measured.at("case").text());
    if (planned == cases.end()) measured.at("case").refuse("the id of a case in 'plan'");
    Measurement& m = run.measurements.emplace_back();
    m.what = planned->second;
    read_members(m, measured);
  }
  return run;
}

}  // namespace bench
