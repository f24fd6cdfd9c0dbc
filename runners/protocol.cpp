#include "runners/protocol.h"

#include <algorithm>
#include <array>

#include "harness/error.h"
#include "results/base64.h"
#include "results/codec.h"

namespace bench {
namespace {

constexpr std::array<std::string_view, 3> kJobKinds{"measure", "estimate", "devices"};
constexpr std::array<std::string_view, 3> kLost{"no", "here", "elsewhere"};

void write(JsonWriter& out, const Workload& workload) {
  const Sampling& sampling = workload.sampling;
  out.begin_object()
      .member("name", workload.name)
      .member("runner", workload.runner)
      .member("baseline", workload.baseline)
      .member("deadline_s", workload.deadline_s)
      .member("relative_error", sampling.relative_error)
      .member("min_samples", sampling.min_samples)
      .member("max_samples", sampling.max_samples)
      .member("max_time_s", sampling.max_time.count())
      .member("max_warm_up_s", sampling.max_warm_up.count())
      .end_object();
}

Workload read_workload(const Json& json) {
  Workload workload;
  workload.name = json.at("name").text();
  workload.runner = json.at("runner").text();
  workload.baseline = json.at("baseline").text();
  workload.deadline_s = json.at("deadline_s").number();
  workload.sampling = {.relative_error = json.at("relative_error").number(),
                       .min_samples = json.at("min_samples").count(),
                       .max_samples = json.at("max_samples").count(),
                       .max_time = Seconds(json.at("max_time_s").number()),
                       .max_warm_up = Seconds(json.at("max_warm_up_s").number())};
  return workload;
}

void write(JsonWriter& out, const PointEstimate& point) {
  out.begin_object()
      .member("device_bytes", point.device_bytes)
      .member("device_bytes_free", point.device_bytes_free)
      .key("cases")
      .begin_array();
  for (const Estimate& e : point.cases) {
    out.begin_object()
        .member("unsupported", e.unsupported)
        .member("negative_control", e.negative_control)
        .member("device_bytes", e.device_bytes)
        .member("seconds", e.seconds)
        .end_object();
  }
  out.end_array().end_object();
}

void write(JsonWriter& out, const std::vector<Fact>& facts) {
  out.begin_array();
  for (const Fact& fact : facts) {
    out.begin_object().member("name", fact.name).member("value", fact.value);
    out.member("role", to_string(fact.role)).end_object();
  }
  out.end_array();
}

std::vector<Fact> read_facts(const Json& json) {
  std::vector<Fact> facts;
  for (const Json& fact : json.items()) {
    facts.push_back(
        {fact.at("name").text(), fact.at("value").text(), fact_role_from(fact.at("role").text())});
  }
  return facts;
}

void write(JsonWriter& out, const DeviceFacts& device) {
  out.begin_object()
      .member("device", device.name)
      .member("uuid", device.uuid)
      .member("kind", device.kind)
      .member("memory_bytes", device.memory_bytes)
      .member("copy_bandwidth_per_s", device.copy_bandwidth_per_s)
      .key("facts");
  write(out, device.facts);
  out.end_object();
}

void write(JsonWriter& out, const Estimates& estimates) {
  out.begin_object().key("devices").begin_array();
  for (const DeviceFacts& device : estimates.devices) write(out, device);
  out.end_array().key("environment");
  write(out, estimates.environment);
  out.key("exclusive").begin_array();
  for (const std::string& name : estimates.exclusive) out.value(name);
  out.end_array().key("points").begin_array();
  for (const PointEstimate& point : estimates.points) write(out, point);
  out.end_array().end_object();
}

PointEstimate read_point(const Json& json) {
  PointEstimate point;
  point.device_bytes = json.at("device_bytes").number();
  point.device_bytes_free = json.at("device_bytes_free").number();
  for (const Json& e : json.at("cases").items()) {
    point.cases.push_back({.unsupported = e.at("unsupported").text(),
                           .negative_control = e.at("negative_control").truth(),
                           .device_bytes = e.at("device_bytes").number(),
                           .seconds = e.at("seconds").number()});
  }
  return point;
}

DeviceFacts read_device(const Json& json) {
  DeviceFacts device{.name = json.at("device").text(),
                     .uuid = json.at("uuid").text(),
                     .kind = json.at("kind").text(),
                     .memory_bytes = json.at("memory_bytes").number(),
                     .copy_bandwidth_per_s = json.at("copy_bandwidth_per_s").number()};
  device.facts = read_facts(json.at("facts"));
  return device;
}

Estimates read_estimates(const Json& json) {
  Estimates estimates;
  for (const Json& device : json.at("devices").items()) {
    estimates.devices.push_back(read_device(device));
  }
  estimates.environment = read_facts(json.at("environment"));
  for (const Json& device : json.at("exclusive").items()) {
    estimates.exclusive.push_back(device.text());
  }
  for (const Json& point : json.at("points").items()) {
    estimates.points.push_back(read_point(point));
  }
  return estimates;
}

std::string read_bytes(const Json& json) {
  const auto bytes = from_base64(json.text());
  if (!bytes) json.refuse("base64");
  return *bytes;
}

}  // namespace

std::string encode(const Job& job, JobKind kind) {
  JsonWriter out;
  out.begin_object()
      .member("job", kJobKinds[static_cast<std::size_t>(kind)])
      .member("replicate", job.replicate)
      .member("seed", std::to_string(job.seed))
      .key("place")
      .begin_array()
      .value(job.place.index)
      .value(job.place.count)
      .value(job.place.local_index)
      .value(job.place.local_count)
      .end_array()
      .key("workload");
  write(out, job.workload);
  out.key("groups").begin_array();
  for (const std::vector<Case>& group : job.groups) {
    out.begin_array();
    for (const Case& c : group) write_json(out, c);
    out.end_array();
  }
  out.end_array().end_object();
  return out.take();
}

DecodedJob decode_job(const std::string& line) {
  const Json json = Json::parse(line, "job");
  DecodedJob decoded;
  const std::string kind = json.at("job").text();
  for (std::size_t i = 0; i < kJobKinds.size(); ++i) {
    if (kind == kJobKinds[i]) decoded.kind = static_cast<JobKind>(i);
  }
  decoded.job.replicate = json.at("replicate").count();
  decoded.job.seed = std::stoull(json.at("seed").text());
  const auto place = json.at("place").items();
  decoded.job.place = {static_cast<int>(place.at(0).count()), static_cast<int>(place.at(1).count()),
                       static_cast<int>(place.at(2).count()),
                       static_cast<int>(place.at(3).count())};
  decoded.job.workload = read_workload(json.at("workload"));
  for (const Json& group : json.at("groups").items()) {
    std::vector<Case>& cases = decoded.job.groups.emplace_back();
    for (const Json& c : group.items()) cases.push_back(read_case(c));
  }
  return decoded;
}

std::string encode(const WorkerMessage& message) {
  JsonWriter out;
  out.begin_object();
  switch (message.kind) {
    case WorkerMessage::Kind::begin:
      out.member("begin", message.case_id);
      break;
    case WorkerMessage::Kind::progress:
      out.member("progress", message.phase);
      break;
    case WorkerMessage::Kind::requests:
      out.member("requests", to_base64(message.requests));
      break;
    case WorkerMessage::Kind::meet:
      out.member("meet", to_base64(message.bytes));
      break;
    case WorkerMessage::Kind::result:
      out.member("lost", kLost[static_cast<std::size_t>(message.lost)]);
      out.key("result");
      write_json(out, message.measurement);
      break;
    case WorkerMessage::Kind::estimates:
      out.key("estimates");
      write(out, message.estimates);
      break;
  }
  out.end_object();
  return out.take();
}

WorkerMessage decode_message(const std::string& line) {
  const Json json = Json::parse(line, "worker");
  WorkerMessage message;
  if (const auto begin = json.find("begin")) {
    message.kind = WorkerMessage::Kind::begin;
    message.case_id = begin->text();
  } else if (const auto progress = json.find("progress")) {
    message.phase = progress->text();
  } else if (const auto requests = json.find("requests")) {
    message.kind = WorkerMessage::Kind::requests;
    message.requests = read_bytes(*requests);
  } else if (const auto meet = json.find("meet")) {
    message.kind = WorkerMessage::Kind::meet;
    message.bytes = read_bytes(*meet);
  } else if (const auto result = json.find("result")) {
    message.kind = WorkerMessage::Kind::result;
    message.measurement = read_measurement(*result);
    const auto lost = std::ranges::find(kLost, json.at("lost").text());
    message.lost = static_cast<WorkerMessage::Lost>(lost - kLost.begin());
  } else if (const auto estimates = json.find("estimates")) {
    message.kind = WorkerMessage::Kind::estimates;
    message.estimates = read_estimates(*estimates);
  } else {
    json.refuse("begin, progress, meet, result or estimates");
  }
  return message;
}

std::string encode(const MeetingReply& reply) {
  JsonWriter out;
  out.begin_object().member("lost", reply.lost).key("met").begin_array();
  for (const std::string& bytes : reply.met) out.value(to_base64(bytes));
  out.end_array().end_object();
  return out.take();
}

MeetingReply decode_reply(const std::string& line) {
  const Json json = Json::parse(line, "parent");
  MeetingReply reply{.lost = json.at("lost").text(), .met = {}};
  for (const Json& bytes : json.at("met").items()) reply.met.push_back(read_bytes(bytes));
  return reply;
}

}  // namespace bench
