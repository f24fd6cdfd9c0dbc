#include "harness/app/execute.h"

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <iostream>
#include <random>

#include "harness/app/interrupt.h"
#include "harness/app/progress.h"
#include "harness/error.h"
#include "harness/format.h"
#include "results/sequential.h"
#include "runners/managed_server.h"
#include "runners/worker.h"

namespace bench {
namespace {

std::int64_t most_replicates(const Plan& plan) {
  std::int64_t most = 0;
  for (const Workload& workload : plan.workloads) most = std::max(most, workload.replicates);
  return most;
}

// One run under way.
class Execution {
 public:
  Execution(Store& store, const Arm& arm, const Survey& survey, Progress& progress)
      : arm_(arm),
        controls_(negative_controls(survey)),
        session_(store, *arm.plan, survey, arm.request),
        progress_(progress) {}

  [[nodiscard]] std::int64_t number() const { return session_.number(); }
  [[nodiscard]] std::uint64_t seed() const { return session_.remaining().seed; }
  [[nodiscard]] std::int64_t remaining() const { return session_.remaining().count(*arm_.plan); }

  void measure(std::int64_t replicate) {
    for (const Workload& workload : arm_.plan->workloads) {
      if (replicate >= workload.replicates || interrupted() || is_served(workload)) continue;
      measure_job(session_.remaining().job(workload, replicate), arm_.worker,
                  events_of(workload, replicate), interrupted());
    }
    // After all that needs the devices for itself. A server's speed is fixed when it starts, so
    // that every replicate has a start of its own, in balanced order.
    std::mt19937_64 random(session_.remaining().seed);
    const bool forwards =
        baseline_first(replicate + 1, random)[static_cast<std::size_t>(replicate)];
    const std::vector<Server>& servers = arm_.plan->servers;
    for (std::size_t i = 0; i < servers.size(); ++i) {
      serve(servers[forwards ? i : servers.size() - 1 - i], replicate);
    }
  }

 private:
  [[nodiscard]] bool is_served(const Workload& workload) const {
    return workload.runner == "http" &&
           std::ranges::any_of(arm_.plan->servers, [&](const Server& server) {
             return std::ranges::count(workload.variants, server.name) > 0;
           });
  }

  // What is to be measured of the server in this replicate.
  [[nodiscard]] std::vector<Job> jobs_of(const Server& server, std::int64_t replicate) const {
    std::vector<Job> jobs;
    for (const Workload& workload : arm_.plan->workloads) {
      if (replicate >= workload.replicates || !is_served(workload)) continue;
      Job job = session_.remaining().job(workload, replicate);
      for (std::vector<Case>& group : job.groups) {
        std::erase_if(group, [&](const Case& c) { return c.variant != server.name; });
      }
      std::erase_if(job.groups, [](const std::vector<Case>& group) { return group.empty(); });
      if (!job.groups.empty()) jobs.push_back(std::move(job));
    }
    return jobs;
  }

  void serve(const Server& server, std::int64_t replicate) {
    const std::vector<Job> jobs = jobs_of(server, replicate);
    if (jobs.empty() || interrupted()) return;
    progress_.phase(format("starting server '{}' for replicate {}", server.name, replicate + 1));
    try {
      ManagedServer running(server, {"/proc/self/exe", "guard"}, arm_.request.log_of(server),
                            interrupted());
      for (const Job& job : jobs) {
        measure_served(running, job);
        if (const std::string why = running.died(); !why.empty()) {
          lose(jobs, why);
          break;
        }
      }
      running.stop();
    } catch (const Error& error) {
      if (error.exit() == Exit::usage) throw;
      // Of a server that only did not end well nothing is lost, but what follows would suffer.
      if (!lose(jobs, error.what()) && !interrupted()) throw;
    }
  }

  void measure_served(ManagedServer& running, Job job) {
    for (std::vector<Case>& group : job.groups) {
      for (Case& c : group) c.parameters.endpoint = running.endpoint();
    }
    WorkerEvents events = events_of(workload_of(job), job.replicate);
    const auto store_result = events.result;
    events.result = [&running, &store_result](Measurement m) {
      const std::string why = m.status == Status::ok ? std::string() : running.died();
      if (!why.empty()) {
        m.status = Status::crashed;
        m.reason = why + "\n" + m.reason;
      }
      store_result(m);
    };
    measure_job(std::move(job), arm_.worker, events, interrupted());
  }

  [[nodiscard]] const Workload& workload_of(const Job& job) const {
    return *std::ranges::find(arm_.plan->workloads, job.workload.name, &Workload::name);
  }

  // A server that failed costs what it was to show in this replicate, with the reason. False: it
  // had shown all.
  bool lose(const std::vector<Job>& jobs, const std::string& reason) {
    bool any = false;
    if (interrupted()) return any;
    for (const Job& job : jobs) {
      const WorkerEvents events = events_of(workload_of(job), job.replicate);
      for (const std::vector<Case>& group : job.groups) {
        for (const Case& c : group) {
          if (session_.remaining().stored.contains({job.workload.name, case_id(c), job.replicate}))
            continue;
          Measurement lost{.what = c, .workload = job.workload.name, .replicate = job.replicate};
          lost.status = Status::failed;
          lost.reason = reason;
          lost.started_unix_s = unix_now();
          events.result(lost);
          any = true;
        }
      }
    }
    return any;
  }

  WorkerEvents events_of(const Workload& workload, std::int64_t replicate) {
    const auto name = [&workload](const Case& c) {
      return describe(workload.name, label(c.parameters, workload.axes), c.variant);
    };
    WorkerEvents events;
    events.begin = [this, name](const Case& c) { progress_.begin(name(c)); };
    events.requests = [this, &workload, replicate](const Case& c, const std::string& records) {
      session_.add_requests({workload.name, case_id(c), replicate}, records);
    };
    events.result = [this, name](Measurement measurement) {
      if (interrupted() && measurement.status != Status::ok) return;  // cut off, not measured
      const std::string id = case_id(measurement.what);
      measurement.negative_control = std::ranges::find(controls_, id) != controls_.end();
      session_.add(measurement);
      progress_.finish(name(measurement.what), measurement);
    };
    return events;
  }

  const Arm& arm_;
  std::vector<std::string> controls_;
  Session session_;
  Progress& progress_;
};

}  // namespace

std::vector<std::string> worker_command() { return {"/proc/self/exe", "worker"}; }

std::vector<Executed> execute_interleaved(Store& store, const std::vector<Arm>& arms,
                                          const Survey& survey) {
  std::int64_t most = 0;
  for (const Arm& arm : arms) {
    require_fit(*arm.plan, survey);
    most = std::max(most, most_replicates(*arm.plan));
  }
  Progress progress(std::cerr, isatty(STDERR_FILENO) != 0);
  std::deque<Execution> runs;
  std::int64_t expected = 0;
  for (const Arm& arm : arms) {
    expected += runs.emplace_back(store, arm, survey, progress).remaining();
  }
  progress.expect(expected);
  std::mt19937_64 random(runs.front().seed());
  const std::vector<bool> first_first = baseline_first(most, random);
  for (std::int64_t replicate = 0; replicate < most; ++replicate) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const bool forwards = first_first[static_cast<std::size_t>(replicate)];
      runs[forwards ? i : runs.size() - 1 - i].measure(replicate);
    }
  }
  std::vector<Executed> executed;
  for (const Execution& run : runs) {
    const bool whole = run.remaining() == 0;
    store.end(run.number(), whole ? RunStatus::complete : RunStatus::interrupted);
    executed.push_back({run.number(), whole});
  }
  return executed;
}

Executed execute(Store& store, const Plan& plan, const Survey& survey, const RunRequest& request) {
  return execute_interleaved(store, {{&plan, request, worker_command()}}, survey).front();
}

}  // namespace bench
