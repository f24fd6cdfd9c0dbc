#include "harness/app/night.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>

#include "harness/app/alerts.h"
#include "harness/app/binaries.h"
#include "harness/app/checks.h"
#include "harness/app/exclusive.h"
#include "harness/app/house.h"
#include "harness/app/interrupt.h"
#include "harness/app/night_judge.h"
#include "harness/app/night_measure.h"
#include "harness/app/night_news.h"
#include "harness/app/night_past.h"
#include "harness/app/paths.h"
#include "harness/app/reserve.h"
#include "harness/format.h"

namespace bench {
namespace {

namespace fs = std::filesystem;

Exit exit_of_night(const std::exception& error) {
  const auto* ours = dynamic_cast<const Error*>(&error);
  return ours == nullptr ? Exit::unjudged : ours->exit();
}

class NightRun {
 public:
  explicit NightRun(const NightRequest& request)
      : request_(request),
        plan_(request.plan),
        purpose_("bench nightly " + request.config),
        binaries_(binaries_folder(request.database)) {
    night_.configuration = plan_.name;
    night_.night = request.night;
    night_.started_unix_s = now();
  }

  Exit go() {
    try {
      when_free(request_.wait, [&] { store_.emplace(request_.database, Access::write, purpose_); });
    } catch (const Error& error) {
      return tell_without_store(error);
    }
    if (const auto exit = done_before()) return *exit;
    past_ = look_back(*store_, plan_.name, night_.night);
    night_.notes = past_.notes;
    if (!night_.notes.empty()) {
      std::cout << format("going on with night {}, which was interrupted\n", night_.night);
    }
    const Reserve reserve(request_.database + ".reserve");
    Exit exit = Exit::unjudged;
    try {
      if (!measure_and_judge()) return exit;  // still `running`: the next start goes on
      exit = news_.exit;
      night_.state = "judged";
      store_night(exit);
    } catch (const std::exception& error) {
      reserve.release();
      exit = give_up(error);
    }
    untidy_ = !keep_house(*store_, plan_, request_.database, now());
    return send_news(exit);
  }

 private:
  [[nodiscard]] double now() const { return unix_now() + request_.offset_s; }

  // The night is judged, and nobody asked for it again.
  std::optional<Exit> done_before() {
    for (const Night& night : list_nights(*store_, plan_.name)) {
      if (night.night != night_.night || night.state != "judged" || request_.again) continue;
      std::cout << format("night {} is done: run {}, exit {} (--again measures it anew)\n",
                          night.night, night.run.value_or(0), night.exit.value_or(0));
      // Whatever ended it after the verdict left these to do.
      untidy_ = !keep_house(*store_, plan_, request_.database, now());
      return send_news(static_cast<Exit>(night.exit.value_or(0)));
    }
    return std::nullopt;
  }

  // False: it was interrupted.
  bool measure_and_judge() {
    const std::vector<std::string> devices = devices_of(plan_, worker_command());
    const DeviceLocks locks =
        when_free(request_.wait, [&] { return DeviceLocks(devices, purpose_); });
    require_sound(request_.database, plan_, devices, std::max(now(), unix_now()));
    save_night(*store_, night_);
    const Survey surveyed = survey(plan_, worker_command());
    const RunRequest request = run_request_of(request_, binaries_.keep());
    const Executed executed = measure_night(*store_, request_, surveyed, request);
    night_.run = executed.run;
    save_night(*store_, night_);
    if (!executed.whole) return false;
    const NightVerdict verdict =
        judge_night(*store_, request_, {surveyed, request, binaries_}, night_);
    news_ = news_of(verdict.findings, verdict.all, open_incidents(*store_, plan_.name));
    return !interrupted();
  }

  // The night as it ends, with all that is to be told, in one transaction.
  void store_night(Exit exit) {
    night_.exit = static_cast<std::int64_t>(exit);
    night_.ended_unix_s = now();
    NightEnd end{.night = night_, .opened = {}, .closed = news_.closed, .messages = {}};
    for (const Finding& f : news_.news.opened) end.opened.push_back(f.incident);
    news_.news.events = past_.events;
    if (!news_.news.empty()) {
      const Alert message = message_of(night_, host_name(), news_.news);
      std::cout << message.text;
      end.messages = messages_to(plan_, message);
    }
    for (const Night& early : past_.ended_early) save_night(*store_, early);
    store_end(*store_, end, now());
  }

  // The night cannot go on: that is what there is to tell. If not even that can be stored, it is
  // sent at once.
  Exit give_up(const std::exception& error) {
    const Exit exit = exit_of_night(error) == Exit::locked ? Exit::locked : Exit::unjudged;
    std::cerr << error.what() << '\n';
    night_.state = "not measured";
    add_note(night_.notes, error.what());
    past_.events.push_back(
        format("{}: {}", night_.run ? "not judged" : "not measured", error.what()));
    news_ = {};
    try {
      store_night(exit);
    } catch (const Error& second) {
      std::cerr << second.what() << '\n';
      send_at_once();
    }
    return exit;
  }

  // Of a night that is under way already nobody need be told.
  Exit tell_without_store(const Error& error) {
    if (error.exit() == Exit::usage) throw error;
    std::cerr << error.what() << '\n';
    if (std::string(error.what()).find("(" + purpose_ + ")") == std::string::npos) {
      past_.events.push_back(format("not measured: {}", error.what()));
      send_at_once();
    }
    return error.exit();
  }

  void send_at_once() {
    news_.news.events = past_.events;
    const Alert message = message_of(night_, host_name(), news_.news);
    for (const Receiver& receiver : plan_.receivers) {
      try {
        send(receiver, message);
      } catch (const Error& error) {
        std::cerr << format("{} could not be told, and it could not be kept: {}\n", receiver.name(),
                            error.what());
      }
    }
  }

  // What could not be told, or not be shown, must not look like a success.
  Exit send_news(Exit exit) {
    bool kept = untidy_;
    try {
      const Delivery delivery = deliver(*store_, plan_, now());
      for (const std::string& problem : delivery.problems) std::cerr << problem << '\n';
      kept = kept || !unsent(*store_, plan_.name).empty();
    } catch (const Error& error) {
      std::cerr << error.what() << '\n';
      kept = true;
    }
    return exit == Exit::ok && kept ? Exit::unjudged : exit;
  }

  const NightRequest& request_;
  const Plan& plan_;
  std::string purpose_;
  Binaries binaries_;
  std::optional<Store> store_;
  Night night_;
  PastNights past_;
  NightNews news_;
  bool untidy_ = false;
};

}  // namespace

Exit run_night(const NightRequest& request) { return NightRun(request).go(); }

std::string nightly_database(const std::string& flag) {
  const char* variable = std::getenv("BENCH_DB");
  if (!flag.empty() || (variable != nullptr && *variable != '\0')) {
    return fs::absolute(database_path(flag)).string();
  }
  make_default_folder(flag);
  const fs::path folder = fs::absolute(database_path("")).parent_path();
  return (folder / format("nightly-{}.db", host_name())).string();
}

}  // namespace bench
