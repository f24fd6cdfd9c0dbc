#include "harness/app/session.h"

#include <algorithm>

#include "harness/error.h"
#include "harness/format.h"
#include "results/query.h"
#include "results/unfinished_requests.h"

namespace bench {
namespace {

DeviceRecord record_of(const DeviceFacts& device) {
  DeviceRecord record{.kind = device.kind, .name = device.name, .uuid = device.uuid};
  if (device.copy_bandwidth_per_s > 0) record.copy_bytes_per_s = device.copy_bandwidth_per_s;
  return record;
}

// Its facts become "device", "device.driver"; of a second one, "device1", "device1.driver".
void add_device(RunRecord& record, const DeviceFacts& device) {
  const std::string name =
      record.devices.empty() ? "device" : format("device{}", record.devices.size());
  DeviceRecord& added = record.devices.emplace_back(record_of(device));
  added.ordinal = static_cast<int>(record.devices.size()) - 1;
  record.environment.push_back({name, device.name, FactRole::machine});
  if (!device.uuid.empty()) record.environment.push_back({name + ".uuid", device.uuid});
  for (const Fact& fact : device.facts) {
    record.environment.push_back({name + '.' + fact.name, fact.value, fact.role});
  }
}

RunRecord new_run(const Plan& plan, const Survey& survey, const RunRequest& request) {
  RunRecord record;
  record.info = {.id = new_run_id(),
                 .name = plan.name,
                 .tag = request.tag,
                 .notes = request.notes,
                 .argv = request.argv,
                 .plan_source = plan.source};
  record.info.started_unix_s = request.started_unix_s;
  record.environment = host_facts();
  for (const Fact& fact : request.facts) record.environment.push_back(fact);
  for (const Server& server : plan.servers) {
    record.environment.push_back(
        {format("server.{}.command", server.name), format("{}", join(server.command, " "))});
  }
  for (const DeviceFacts& device : survey.devices) add_device(record, device);
  record.environment.insert(record.environment.end(), survey.environment.begin(),
                            survey.environment.end());
  record.plan = manifest(plan);
  return record;
}

}  // namespace

bool same_plan(const std::vector<PlannedCase>& a, const std::vector<PlannedCase>& b) {
  return std::ranges::equal(a, b, [](const PlannedCase& x, const PlannedCase& y) {
    return x.workload == y.workload && x.replicates == y.replicates &&
           x.skip.empty() == y.skip.empty() && case_id(x.what) == case_id(y.what);
  });
}

std::string RunRequest::log_of(const Server& server) const {
  if (!server.log.empty()) return server.log;
  return (folder.empty() ? "" : folder + "/") + format("server-{}.log", server.name);
}

Session::Session(Store& store, const Plan& plan, const Survey& survey, const RunRequest& request)
    : store_(store) {
  RunRecord record = new_run(plan, survey, request);
  std::string id = record.info.id;
  if (request.resume) {
    const auto found = find_interrupted(store, record.info);
    if (!found) {
      fail_usage(
          format("--resume: no interrupted run of {} with the same workloads in the store "
                 "(leave --resume out to begin one)",
                 plan.name));
    }
    number_ = *found;
    const RunRecord begun = load_run(store, number_, LoadSamples::no);
    if (!same_plan(begun.plan, record.plan)) {
      fail_usage(
          format("--resume: run {} was begun with other --only, --replicates or variables "
                 "(write as then: {})",
                 number_, begun.info.argv));
    }
    id = begun.info.id;
    store.resume(number_);
    for (MeasurementKey& key : stored_measurements(store, number_))
      remaining_.stored.insert(std::move(key));
  } else {
    number_ = store.add(std::move(record));
  }
  remaining_.seed = std::stoull(id.substr(0, 16), nullptr, 16);
}

void Session::add_requests(const MeasurementKey& key, const std::string& records) {
  keep_requests(store_, number_, key, records);
}

void Session::add(const Measurement& measurement) {
  store_.add(number_, measurement);
  remaining_.stored.insert(
      {measurement.workload, case_id(measurement.what), measurement.replicate});
}

}  // namespace bench
