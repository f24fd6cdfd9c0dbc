// bench nightly: what a box measures by itself, and whom it tells.

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>

#include "harness/app/alerts.h"
#include "harness/app/command.h"
#include "harness/app/exclusive.h"
#include "harness/app/night.h"
#include "harness/app/night_date.h"
#include "harness/app/paths.h"
#include "harness/app/plan_options.h"
#include "harness/app/schedule.h"
#include "harness/format.h"
#include "results/environment.h"
#include "workloads/plan.h"

namespace bench {
namespace {

std::string config_of(const std::string& name) {
  return std::filesystem::absolute(find_config(name)).lexically_normal().string();
}

NightRequest night_request(const Arguments& arguments, const std::string& config) {
  NightRequest request;
  request.config = config_of(config);
  request.plan = load_plan(request.config, plan_options(arguments));
  if (request.plan.gates.empty()) {
    fail_usage(format("{}: a nightly run needs `gates:` to judge it by", request.config));
  }
  request.database = nightly_database(arguments.get("db").value_or(""));
  const std::string tonight = current_night(unix_now(), arguments.get("at"));
  request.night = arguments.get("night").value_or(tonight);
  check_night(request.night);
  request.offset_s = 86400.0 * days_between(tonight, request.night);
  request.wait = arguments.seconds("wait").value_or(Seconds(0));
  request.again = arguments.has("again");
  return request;
}

// So that the first alert that matters is not the first that is sent.
Exit test_alerts(const Plan& plan) {
  if (plan.receivers.empty()) fail_usage(format("{}: there are no `alerts:`", plan.path));
  Exit exit = Exit::ok;
  const Alert message{
      .subject = format("bench: {} on {}: a test", plan.name, host_name()),
      .text = format("bench: {} on {}: this is a test, nothing happened\n", plan.name, host_name()),
      .json =
          R"({"schema_version":1,"text":"bench: this is a test, nothing happened","items":[]})"};
  for (const Receiver& receiver : plan.receivers) {
    try {
      send(receiver, message);
      std::cout << format("sent to {}\n", receiver.name());
    } catch (const Error& error) {
      std::cout << format("NOT sent to {}: {}\n", receiver.name(), error.what());
      exit = Exit::unjudged;
    }
  }
  return exit;
}

Exit nightly(const Arguments& arguments) {
  const std::string first = *arguments.positional(0);
  const auto second = arguments.positional(1);
  constexpr std::array kWords{"install", "uninstall", "status", "test-alerts", "tell"};
  if (std::ranges::find(kWords, first) == kWords.end()) {
    if (second)
      fail_usage(
          format("bench nightly: no word '{}' (write install, uninstall, status "
                 "or test-alerts)",
                 first));
    return run_night(night_request(arguments, first));
  }
  if (!second) fail_usage(format("bench nightly {}: name the CONFIG", first));
  const Plan plan = load_plan(config_of(*second), plan_options(arguments));
  if (first == "test-alerts") return test_alerts(plan);
  const Schedule schedule{.plan = &plan,
                          .config = config_of(*second),
                          .database = nightly_database(arguments.get("db").value_or("")),
                          .at = arguments.get("at").value_or("02:30"),
                          .user = arguments.has("user"),
                          .folder = arguments.get("units").value_or("")};
  if (first == "install") return install(schedule);
  if (first == "tell") return tell_failure(schedule, unix_now());
  return first == "uninstall" ? uninstall(schedule) : show_status(schedule, unix_now());
}

const Register<Command> kNightlyCommand{{
    .name = "nightly",
    .summary = "measures, judges, confirms, tells: a night of its own, or installs it as a timer",
    .positionals = "[install|uninstall|status|test-alerts] CONFIG",
    .flags =
        {
            {"at", "HH:MM", "when the night begins: of the timer (else 02:30), and of the date"},
            {"night", "YYYY-MM-DD", "the date of the night; else today's"},
            {"again", "", "measure a night that is done"},
            {"wait", "TIME", "for devices that are in use: 2h"},
            {"set", "KEY=VALUE", "override a value of the file (repeatable)", true},
            {"only", "PATTERN", "only these workloads, or workload/variant (repeatable)", true},
            {"user", "", "install for this user, not for the system"},
            {"units", "DIR", "where systemd's units go; else its own folder"},
            {"db", "FILE", "results database (else BENCH_DB, else results/nightly-HOST.db)"},
        },
    .example = "bench nightly install configs/glm5.yaml --at 02:30",
    .run = nightly,
}};

}  // namespace
}  // namespace bench
