#include "runners/rank_team.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

#include "harness/error.h"
#include "harness/format.h"
#include "kernels/cores.h"

namespace bench {
namespace {

// After the collectives were ended: who is not back by then hangs by itself.
constexpr Seconds kLongestGrace{5};
constexpr double kGrace = 0.25;  // of the deadline

}  // namespace

std::string Rank::name() const {
  if (device == nullptr) return format("rank {}", number);
  const DeviceInfo& info = device->info();
  return format("rank {} ({}{}{})", number, info.name, info.uuid.empty() ? "" : ", ", info.uuid);
}

// What the threads share with their team.
struct RankTeam::State {
  State(Hosts& hosts, int local) : meeting(hosts, local) {}

  Meeting meeting;
  std::vector<Rank> ranks;
  std::vector<std::string> names;  // of the ranks, as far as known: a hung one cannot be asked
  Seconds deadline{0};
  std::vector<std::thread> threads;  // none: the caller's

  std::mutex mutex;
  std::condition_variable changed;
  std::function<void(Rank&)> work;
  long round = 0;
  std::vector<long> done;  // [rank] the last round it came back from
  std::vector<std::exception_ptr> errors;
  std::optional<std::size_t> failed;  // the first rank that did, other than by leaving
  bool stop = false;
  bool broken = false;

  // Under the lock.
  [[nodiscard]] bool all_back() const {
    return std::ranges::all_of(done, [this](long last) { return last == round; });
  }
  [[nodiscard]] std::vector<std::string> missing() const {
    std::vector<std::string> late;
    for (std::size_t i = 0; i < done.size(); ++i) {
      if (done[i] != round) late.push_back(names[i]);
    }
    return late;
  }
  [[noreturn]] void throw_first_error() const {
    const std::string& who = names[*failed];
    try {
      std::rethrow_exception(errors[*failed]);
    } catch (const OthersLost&) {  // not this rank's doing
      throw;
    } catch (const OutOfMemory& error) {
      throw OutOfMemory(format("{}: {}", who, error.what()));
    } catch (const std::bad_alloc&) {
      throw OutOfMemory(format("{}: the host ran out of memory", who));
    } catch (const std::exception& error) {
      fail(format("{}: {}", who, error.what()));
    }
  }
};

RankTeam::RankTeam(const DeviceFactory& factory, const std::vector<int>& ordinals, Hosts& hosts,
                   Seconds deadline)
    : state_(std::make_shared<State>(hosts, static_cast<int>(ordinals.size()))) {
  State& s = *state_;
  s.deadline = deadline;
  const auto count = static_cast<int>(ordinals.size());
  for (int i = 0; i < count; ++i) {
    s.ranks.push_back({.number = s.meeting.first() + i});
    s.names.push_back(s.ranks.back().name());
  }
  s.done.resize(ordinals.size());
  s.errors.resize(ordinals.size());
  if (size() > 1) {
    for (int i = 0; i < count; ++i) s.threads.emplace_back(serve, state_, i);
  }
  each([state = state_.get(), factory, ordinals, count](Rank& rank) {
    const int index = rank.number - state->meeting.first();
    const int ordinal = ordinals[static_cast<std::size_t>(index)];
    if (count > 1) stay_on(factory.cores(ordinal, index, count));
    rank.device = factory.open(ordinal);
    rank.pools = std::make_unique<PoolCache>(*rank.device);
    state->names[static_cast<std::size_t>(index)] = rank.name();
    if (state->meeting.size() > 1) {
      rank.communicator = rank.device->join(state->meeting, rank.number);
    }
  });
}

RankTeam::~RankTeam() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->changed.notify_all();
  // A thread that hangs, and what it may still touch, is left to the end of the process.
  for (std::thread& thread : state_->threads) state_->broken ? thread.detach() : thread.join();
}

int RankTeam::size() const { return state_->meeting.size(); }
int RankTeam::first() const { return state_->meeting.first(); }
int RankTeam::local() const { return state_->meeting.local(); }
Rank& RankTeam::rank(int local_index) {
  return state_->ranks[static_cast<std::size_t>(local_index)];
}

void RankTeam::serve(const std::shared_ptr<State>& state, int index) {
  State& s = *state;
  const auto at = static_cast<std::size_t>(index);
  std::unique_lock lock(s.mutex);
  while (true) {
    s.changed.wait(lock, [&] { return s.stop || s.round != s.done[at]; });
    if (s.stop) break;
    const auto work = s.work;
    lock.unlock();
    std::exception_ptr error;
    try {
      work(s.ranks[at]);
    } catch (const Aborted&) {  // NOLINT(bugprone-empty-catch): another's failure says why
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    s.errors[at] = error;
    if (error && !s.failed) s.failed = at;
    s.done[at] = s.round;
    s.changed.notify_all();
  }
  const bool broken = s.broken;
  lock.unlock();
  if (broken) return;
  // By its own thread, at the same time as the others: the end of a communicator is a collective.
  Rank& rank = s.ranks[at];
  rank.communicator.reset();
  rank.pools.reset();
  rank.device.reset();
}

void RankTeam::each(const std::function<void(Rank&)>& work) {
  State& s = *state_;
  if (s.threads.empty()) {
    work(s.ranks.front());
    return;
  }
  std::unique_lock lock(s.mutex);
  if (s.broken) fail("the ranks were given up before");
  s.work = work;
  ++s.round;
  s.changed.notify_all();
  const bool ended = s.changed.wait_for(lock, s.deadline, [&] { return s.failed || s.all_back(); });
  if (ended && !s.failed) return;
  lock.unlock();
  give_up(!ended);
}

void RankTeam::give_up(bool timed_out) {
  State& s = *state_;
  const bool for_hosts = s.meeting.waits_for_hosts();
  s.meeting.abort();
  for (std::size_t i = 0; i < s.ranks.size(); ++i) {
    // In threads of their own: the end of a communicator whose device hangs may hang as well.
    std::thread([state = state_, i] {
      const auto& communicator = state->ranks[i].communicator;
      if (communicator != nullptr) communicator->abort();
    }).detach();
  }
  std::unique_lock lock(s.mutex);
  s.broken = true;
  s.changed.wait_for(lock, std::min(kLongestGrace, kGrace * s.deadline),
                     [&] { return s.all_back(); });
  if (!timed_out) s.throw_first_error();
  const std::vector<std::string> hung = s.missing();
  const std::string limit = format_seconds(s.deadline);
  if (for_hosts || (hung.empty() && s.meeting.size() > s.meeting.local())) {
    throw OthersLost(format("the other processes' ranks did not come within {}", limit));
  }
  if (hung.empty()) fail(format("the ranks waited {} for one another and were ended", limit));
  fail(
      format("{} hangs: no end within {}; the other ranks were ended", join(hung, " and "), limit));
}

}  // namespace bench
