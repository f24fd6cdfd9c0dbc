// bench doctor: whether a measurement on this machine could be believed now.

#include <iostream>
#include <optional>

#include "harness/app/checks.h"
#include "harness/app/command.h"
#include "harness/app/exclusive.h"
#include "harness/app/execute.h"
#include "harness/app/paths.h"
#include "harness/app/plan_options.h"
#include "kernels/gpus.h"
#include "runners/runner.h"
#include "workloads/plan.h"

namespace bench {
namespace {

// Of a configuration: what it needs. Else all there is.
std::vector<std::string> devices_to_check(const Plan* plan) {
  if (plan != nullptr) return devices_of(*plan, worker_command());
  std::string ignored;
  std::vector<std::string> devices{kHostCpu};
  for (const GpuStatus& gpu : list_gpus(ignored)) devices.push_back(gpu.uuid);
  return devices;
}

Exit doctor(const Arguments& arguments) {
  std::optional<Plan> plan;
  if (const auto config = arguments.positional(0)) {
    plan = load_plan(find_config(*config).string(), plan_options(arguments));
  }
  const Plan* known = plan ? &*plan : nullptr;
  const std::string database = database_path(arguments.get("db").value_or("")).string();
  const std::vector<std::string> devices = devices_to_check(known);
  std::vector<Check> checks = check_locks(devices);
  const auto add = [&](std::vector<Check> more) {
    checks.insert(checks.end(), more.begin(), more.end());
  };
  add(check_storage(database, known, unix_now()));
  add(check_host());
  add(check_gpus(known == nullptr ? std::vector<std::string>{} : devices));
  std::cout << checks_text(checks);
  return exit_of(checks);
}

const Register<Command> kDoctorCommand{{
    .name = "doctor",
    .summary = "whether a measurement here could be believed now: locks, others, clocks, room",
    .positionals = "[CONFIG]",
    .flags =
        {
            {"set", "KEY=VALUE", "override a value of the file (repeatable)", true},
            {"only", "PATTERN", "only these workloads, or workload/variant (repeatable)", true},
            {"db", "FILE", "results database (else BENCH_DB, else results/bench.db)"},
        },
    .example = "bench doctor configs/glm5.yaml",
    .run = doctor,
}};

}  // namespace
}  // namespace bench
