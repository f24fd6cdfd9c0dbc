#include "runners/http/load.h"

#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "runners/http/body_queue.h"
#include "runners/http/clock.h"
#include "runners/http/request_run.h"

namespace bench {
namespace {

constexpr std::int64_t kStreamsPerThread = 4096;
constexpr Seconds kSweep{0.05};
constexpr std::int64_t kMostOpenStreams = 1 << 16;

Seconds thread_cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return Seconds(static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9);
}

// One thread's part of the load: its own users or due times, connections and parser.
class Share {
 public:
  Share(const LoadPlan& plan, const LoadTarget& target, std::int64_t number, std::int64_t shares)
      : plan_(plan),
        target_(target),
        number_(number),
        shares_(shares),
        loop_(HttpLoop::make(target.endpoint, static_cast<std::size_t>(part(streams(plan))))),
        bodies_(target.body, number, shares, ahead()) {
    if (plan.open_loop()) {
      const std::vector<DueRequest> all = schedule(plan);
      for (auto i = static_cast<std::size_t>(number); i < all.size();
           i += static_cast<std::size_t>(shares)) {
        due_.push_back(all[i]);
      }
    }
    bodies_.wait_until_full();
  }

  void run(Seconds epoch, const std::function<void(RequestRecord)>& on_record) {
    prctl(PR_SET_TIMERSLACK, 1UL);
    prctl(PR_SET_NAME, "http-loop");
    epoch_ = epoch;
    const Seconds cpu_before = thread_cpu_time();
    Seconds sweep = monotonic_now() + kSweep;
    for (;;) {
      const Seconds next = plan_.open_loop() ? start_due() : start_users();
      if (loop_->active() == 0 && next == Seconds::max()) break;
      loop_->poll(std::min(sweep, next));
      if (monotonic_now() >= sweep) {
        end_overdue();
        sweep = monotonic_now() + kSweep;
      }
      hand_over(on_record);
    }
    cpu_ = thread_cpu_time() - cpu_before;
  }

  [[nodiscard]] Seconds cpu() const { return cpu_; }
  [[nodiscard]] std::int64_t body_waits() const { return bodies_.waits(); }

  static std::int64_t streams(const LoadPlan& plan) {
    if (plan.open_loop() && plan.concurrency <= 1) return kMostOpenStreams;
    return plan.concurrency;
  }

 private:
  struct User {
    std::unique_ptr<RequestRun> run;
    std::int64_t measured = 0;  // requests
  };

  // This share of `n` things dealt out one by one.
  [[nodiscard]] std::int64_t part(std::int64_t n) const {
    return n / shares_ + (number_ < n % shares_ ? 1 : 0);
  }

  [[nodiscard]] std::size_t ahead() const {
    constexpr std::int64_t kMost = 4096;
    std::int64_t wanted = plan_.open_loop() ? kMost : 2 * part(plan_.concurrency);
    const bool counted = plan_.requests > 0 && plan_.warm_up_end() <= Seconds{0};
    if (counted) wanted = std::min(wanted, part(plan_.requests));
    return static_cast<std::size_t>(std::clamp<std::int64_t>(wanted, 1, kMost));
  }

  [[nodiscard]] Seconds now() const { return monotonic_now() - epoch_; }

  User& user(std::int64_t i) {
    while (static_cast<std::int64_t>(users_.size()) <= i) {
      const auto number = static_cast<std::int64_t>(users_.size());
      users_.push_back({std::make_unique<RequestRun>(target_, json_, finished_, number)});
    }
    return users_[static_cast<std::size_t>(i)];
  }

  void start(std::int64_t i, Phase phase, Seconds due) {
    RequestRecord record;
    record.phase = phase;
    record.index = number_ + shares_ * issued_[static_cast<std::size_t>(phase)]++;
    record.user = number_ + shares_ * i;
    record.open_loop = plan_.open_loop();
    record.due = due;
    record.prompt_asked = target_.prompt_tokens;
    record.output_asked = target_.output_tokens;
    RequestRun& run = *user(i).run;
    run.begin(std::move(record), bodies_.take(), epoch_);
    loop_->start(target_.dialect->path, run.body(), run);
  }

  // Closed loop. Gives when the next user joins.
  Seconds start_users() {
    const std::int64_t count = part(plan_.concurrency);
    if (joined_ < count) {
      const auto joins = [&](std::int64_t i) {
        return plan_.ramp * (static_cast<double>(number_ + shares_ * i) /
                             static_cast<double>(plan_.concurrency));
      };
      while (joined_ < count && joins(joined_) <= now()) idle_.push_back(joined_++);
      start_idle();
      return joined_ < count ? epoch_ + joins(joined_) : Seconds::max();
    }
    start_idle();
    return Seconds::max();
  }

  void start_idle() {
    std::vector<std::int64_t> ready;
    ready.swap(idle_);
    for (const std::int64_t i : ready) {
      const Seconds at = now();
      const Phase phase = at < plan_.warm_up_end() ? Phase::warm_up : Phase::measured;
      if (phase == Phase::measured && !may_start(user(i), at)) continue;
      if (phase == Phase::measured) ++user(i).measured;
      start(i, phase, at);
    }
  }

  [[nodiscard]] bool may_start(const User& u, Seconds at) const {
    const std::int64_t issued = issued_[static_cast<std::size_t>(Phase::measured)];
    if (plan_.requests > 0 && issued >= part(plan_.requests)) return false;
    const bool over = plan_.duration > Seconds{0} && at >= plan_.warm_up_end() + plan_.duration;
    // However long a request takes, each user has one that is measured.
    return !over || (u.measured == 0 && plan_.requests == 0);
  }

  // Open loop. Gives when the next request is due.
  Seconds start_due() {
    const std::int64_t cap = part(streams(plan_));
    while (next_due_ < due_.size() && due_[next_due_].due <= now()) {
      if (idle_.empty()) {
        if (joined_ >= cap) return Seconds::max();  // as soon as one ends
        idle_.push_back(joined_++);
      }
      const std::int64_t i = idle_.back();
      idle_.pop_back();
      start(i, due_[next_due_].phase, due_[next_due_].due);
      ++next_due_;
    }
    return next_due_ < due_.size() ? epoch_ + due_[next_due_].due : Seconds::max();
  }

  void end_overdue() {
    const Seconds at = now();
    for (const User& user : users_) {
      RequestRun& run = *user.run;
      const auto failure = run.overdue(at, plan_.request_timeout, plan_.stall_timeout);
      if (!failure) continue;
      loop_->abort(run);
      run.give_up(monotonic_now(), *failure);
    }
  }

  void hand_over(const std::function<void(RequestRecord)>& on_record) {
    for (const std::int64_t i : finished_) {
      on_record(user(i).run->take());
      idle_.push_back(i);
    }
    finished_.clear();
  }

  const LoadPlan& plan_;
  const LoadTarget& target_;
  std::int64_t number_;
  std::int64_t shares_;
  JsonParser json_;
  std::vector<User> users_;
  std::unique_ptr<HttpLoop> loop_;
  BodyQueue bodies_;
  std::vector<DueRequest> due_;
  std::size_t next_due_ = 0;
  std::int64_t joined_ = 0;
  std::vector<std::int64_t> idle_;
  std::vector<std::int64_t> finished_;
  std::array<std::int64_t, 2> issued_{};  // by phase
  Seconds epoch_{0};
  Seconds cpu_{0};
};

// Of several processes each has as many, whatever its cores: they deal the load out by number.
std::int64_t threads_for(const LoadPlan& plan, const LoadPart& part) {
  if (part.count > 1) {
    const std::int64_t streams = Share::streams(plan) / part.count;
    return plan.open_loop() ? 1 : std::max<std::int64_t>(1, streams / kStreamsPerThread);
  }
  const auto cores = std::max<std::int64_t>(std::thread::hardware_concurrency(), 1);
  const std::int64_t wanted = (Share::streams(plan) + kStreamsPerThread - 1) / kStreamsPerThread;
  return std::clamp<std::int64_t>(plan.open_loop() ? 1 : wanted, 1,
                                  std::max<std::int64_t>(cores / 2, 1));
}

}  // namespace

LoadOutcome run_load(const LoadPlan& plan, const LoadTarget& target,
                     const std::function<void(RequestRecord)>& on_record, const LoadPart& part) {
  LoadOutcome outcome;
  outcome.threads = threads_for(plan, part);
  std::vector<std::unique_ptr<Share>> shares;
  for (std::int64_t i = 0; i < outcome.threads; ++i) {
    const std::int64_t number = part.index * outcome.threads + i;
    shares.push_back(std::make_unique<Share>(plan, target, number, part.count * outcome.threads));
  }
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto in_turn = [&](RequestRecord record) {
    const std::lock_guard lock(mutex);
    on_record(std::move(record));
  };
  const Seconds epoch = outcome.epoch = std::max(monotonic_now(), part.epoch);
  std::vector<std::thread> threads;
  threads.reserve(shares.size());
  for (const auto& share : shares) {
    threads.emplace_back([&share = *share, &mutex, &thrown, &in_turn, epoch] {
      try {
        share.run(epoch, in_turn);
      } catch (...) {
        const std::lock_guard lock(mutex);
        thrown = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (thrown) std::rethrow_exception(thrown);
  outcome.wall = monotonic_now() - epoch;
  for (const auto& share : shares) {
    outcome.cpu += share->cpu();
    outcome.body_waits += share->body_waits();
  }
  return outcome;
}

}  // namespace bench
