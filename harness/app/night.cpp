#include "harness/app/night.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>

#include "dashboards/verdict_sentence.h"
#include "harness/app/alerts.h"
#include "harness/app/binaries.h"
#include "harness/app/checks.h"
#include "harness/app/confirm.h"
#include "harness/app/exclusive.h"
#include "harness/app/house.h"
#include "harness/app/interrupt.h"
#include "harness/app/night_date.h"
#include "harness/app/night_message.h"
#include "harness/app/paths.h"
#include "harness/app/reserve.h"
#include "harness/format.h"

namespace bench {
namespace {

namespace fs = std::filesystem;

class NightRun {
 public:
  explicit NightRun(const NightRequest& request)
      : request_(request), plan_(request.plan), binaries_(binaries_folder(request.database)) {
    night_.configuration = plan_.name;
    night_.night = request.night;
    night_.started_unix_s = now();
  }

  Exit go() {
    try {
      when_free(request_.wait, [&] {
        store_.emplace(request_.database, Access::write, "bench nightly " + request_.config);
      });
    } catch (const Error& error) {
      return tell_without_store(error);
    }
    if (const auto exit = done_before()) return *exit;
    look_back();
    const Reserve reserve(request_.database + ".reserve");
    Exit exit = Exit::unjudged;
    try {
      exit = measure_and_judge();
      if (interrupted()) return exit;  // still `running`: the next start goes on
      finish(exit);
    } catch (const Error& error) {
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
      return send_news(static_cast<Exit>(night.exit.value_or(0)));
    }
    return std::nullopt;
  }

  // Nights that were cut off for good, or did not begin; and what this one was interrupted in.
  void look_back() {
    std::string last;
    for (Night& night : list_nights(*store_, plan_.name)) {  // newest first
      if (night.night < night_.night && last.empty()) last = night.night;
      if (night.state != "running") continue;
      if (night.night == night_.night) {
        night_.notes =
            night.notes + (night.notes.empty() ? "" : "; ") + "interrupted, gone on with";
        std::cout << format("going on with night {}, which was interrupted\n", night.night);
      } else if (night.night < night_.night) {
        night.state = "not measured";
        night.notes += (night.notes.empty() ? "" : "; ") + std::string("ended early");
        events_.push_back(format("night {} ended early: it was begun and never finished{}",
                                 night.night,
                                 night.run ? format(" (run {})", *night.run) : std::string()));
        ended_early_.push_back(night);
      }
    }
    if (last.empty()) return;
    const std::vector<std::string> missing = nights_between(last, night_.night);
    if (missing.empty()) return;
    events_.push_back(missing.size() == 1
                          ? format("night {} did not run", missing.front())
                          : format("{} nights did not run: {} to {}", missing.size(),
                                   missing.front(), missing.back()));
  }

  Exit measure_and_judge() {
    const std::vector<std::string> devices = devices_of(plan_, worker_command());
    const std::string purpose = format("bench nightly {}", request_.config);
    const DeviceLocks locks =
        when_free(request_.wait, [&] { return DeviceLocks(devices, purpose); });
    require_sound(request_.database, plan_, devices);
    save_night(*store_, night_);
    const Survey surveyed = survey(plan_, worker_command());
    const Executed executed = execute(*store_, plan_, surveyed, run_request(true));
    night_.run = executed.run;
    save_night(*store_, night_);
    if (!executed.whole) return Exit::unjudged;
    return judge(surveyed);
  }

  RunRequest run_request(bool resume) {
    RunRequest request{.argv = format("bench run {} --db {}", request_.config, request_.database),
                       .tag = "night-" + night_.night,
                       .notes = "bench nightly",
                       .started_unix_s = now(),
                       .facts = {{kBinaryFact, binaries_.keep(), FactRole::circumstance}}};
    request.folder = fs::path(request_.database).parent_path().string();
    RunInfo like;
    like.name = plan_.name;
    like.plan_source = plan_.source;
    const auto found = resume ? find_interrupted(*store_, like) : std::nullopt;
    request.resume = found && load_info(*store_, *found).tag == request.tag;
    return request;
  }

  Exit judge(const Survey& surveyed) {
    const RunRecord run = load_run(*store_, *night_.run, LoadSamples::no);
    std::vector<Finding> findings;
    std::vector<Against> all;
    std::optional<Judgement> main;
    if (const auto reference = references(run, all)) {
      main = judge_run(*store_, run, plan_.gates, *reference, false);
      all.front().comparison = main->comparison;
      recheck(surveyed, all);
      main->comparison = all.front().comparison;
      findings = findings_of(run, *main, all, wording(run, *reference));
      std::cout << format("against {}: {}\n", all.front().name, verdict_sentence(main->comparison));
    }
    if (!pinned_for(*store_, run.info)) findings.push_back(nothing_pinned(all.empty()));
    for (Finding& f : unmeasured(run, findings)) findings.push_back(std::move(f));
    return compare_with_told(findings, all);
  }

  // The runs to judge by, the one that must judge every case first; nullopt: there is none.
  std::optional<std::int64_t> references(const RunRecord& run, std::vector<Against>& all) {
    const auto pinned = pinned_for(*store_, run.info);
    const auto add = [&](std::int64_t reference, const std::string& name) {
      const auto known = std::ranges::find(all, reference, &Against::reference);
      if (known != all.end() || reference == run.info.number) return;
      all.push_back({reference, format("run {}, {}", reference, name),
                     compare_by(plan_.gates, load_run(*store_, reference, LoadSamples::no), run)});
    };
    if (pinned) add(*pinned, "pinned");
    if (const auto previous = quiet_night(run.info)) add(*previous, "the night before");
    for (const Incident& incident : open_incidents(*store_, plan_.name)) {
      // An older reference was given up when a later run was accepted.
      if (incident.reference.value_or(0) > pinned.value_or(0)) {
        add(*incident.reference, "before the change");
      }
    }
    return all.empty() ? std::nullopt : std::optional(all.front().reference);
  }

  // The newest night whose verdicts stood when they were measured again.
  std::optional<std::int64_t> quiet_night(const RunInfo& run) {
    for (const Night& night : list_nights(*store_, plan_.name)) {
      if (night.night >= night_.night || night.state != "judged" || !night.run) continue;
      if (night.notes.find("noisy") != std::string::npos) continue;
      const RunInfo info = load_info(*store_, *night.run);
      if (info.fingerprint == run.fingerprint && info.host == run.host) return night.run;
    }
    return std::nullopt;
  }

  void recheck(const Survey& surveyed, std::vector<Against>& all) {
    Recheck recheck{.plan = &plan_, .survey = &surveyed, .request = run_request(false), .told = {}};
    recheck.request.notes = format("measures run {} again", *night_.run);
    for (const Incident& i : open_incidents(*store_, plan_.name)) {
      if (i.kind == "regression" || i.kind == "improvement") recheck.told.insert(i.subject);
    }
    const std::string mine = recheck.request.facts.front().value;
    for (const Fact& fact : load_run(*store_, all.front().reference, LoadSamples::no).environment) {
      if (fact.name == kBinaryFact && fact.value != mine) recheck.old = binaries_.find(fact.value);
    }
    const Confirmation done = confirm(*store_, recheck, all);
    if (done.again == 0) return;
    std::cout << format("measured again: {} verdicts, {} of them gone\n", done.again,
                        done.dismissed);
    if (done.dismissed > 0) {
      night_.notes += (night_.notes.empty() ? "" : "; ") +
                      format("noisy: {} verdicts gone when measured again", done.dismissed);
    }
  }

  Finding nothing_pinned(bool nothing_at_all) const {
    return {.incident = {.kind = "baseline",
                         .subject = "baseline",
                         .words = format("no run is pinned{}: bench baseline accept {} --notes WHY "
                                         "--db {}",
                                         nothing_at_all ? ", and there is no night before"
                                                        : "; judged by the night before alone",
                                         *night_.run, request_.database),
                         .run = night_.run},
            .exit = nothing_at_all ? Exit::unjudged : Exit::ok};
  }

  [[nodiscard]] Wording wording(const RunRecord& run, std::int64_t main) const {
    const std::string root =
        plan_.site.url.empty() ? site_folder(plan_, request_.database) : plan_.site.url;
    return {.configuration = request_.config,
            .argv = run.info.argv,
            .page = [root, main, number = run.info.number](std::int64_t reference) {
              return reference == main ? format("{}/compare-{}-{}.html", root, reference, number)
                                       : format("{}/run-{}.html", root, number);
            }};
  }

  Exit compare_with_told(const std::vector<Finding>& findings, const std::vector<Against>& all) {
    const std::vector<Incident> told = open_incidents(*store_, plan_.name);
    const auto same = [](const Incident& a, const Incident& b) {
      return a.kind == b.kind && a.subject == b.subject;
    };
    Exit exit = Exit::ok;
    for (const Finding& f : findings) {
      if (exit != Exit::regression && f.exit != Exit::ok) exit = f.exit;
      const bool known =
          std::ranges::any_of(told, [&](const Incident& i) { return same(i, f.incident); });
      if (!known) news_.opened.push_back(f);
    }
    for (const Incident& incident : told) {
      const bool still = std::ranges::any_of(
          findings, [&](const Finding& f) { return same(f.incident, incident); });
      if (still || !is_over(incident, all)) continue;
      closed_.push_back(incident.id);
      // That a better time is accepted, or a run pinned, is no news to who did it.
      if (incident.kind != "improvement" && incident.kind != "baseline") {
        news_.closed.push_back(incident);
      }
    }
    return exit;
  }

  // The night as it ends, with all that is to be told, in one transaction.
  void store_night(Exit exit) {
    night_.exit = static_cast<std::int64_t>(exit);
    night_.ended_unix_s = now();
    NightEnd end{.night = night_, .opened = {}, .closed = closed_, .messages = {}};
    for (const Finding& f : news_.opened) end.opened.push_back(f.incident);
    news_.events = events_;
    if (!news_.empty()) {
      const Message message = message_of(night_, host_name(), news_);
      std::cout << message.text;
      end.messages = messages_to(plan_, message);
    }
    for (const Night& early : ended_early_) save_night(*store_, early);
    store_end(*store_, end, now());
  }

  void finish(Exit exit) {
    night_.state = "judged";
    store_night(exit);
  }

  // The night cannot go on: that is what there is to tell. If not even that can be stored, it is
  // sent at once.
  Exit give_up(const Error& error) {
    const Exit exit = error.exit() == Exit::locked ? Exit::locked : Exit::unjudged;
    std::cerr << error.what() << '\n';
    night_.state = "not measured";
    night_.notes += (night_.notes.empty() ? "" : "; ") + std::string(error.what());
    events_.push_back(format("not measured: {}", error.what()));
    news_ = {};
    closed_.clear();
    try {
      store_night(exit);
    } catch (const Error& second) {
      std::cerr << second.what() << '\n';
      send_at_once();
    }
    return exit;
  }

  Exit tell_without_store(const Error& error) {
    if (error.exit() == Exit::usage) throw error;
    std::cerr << error.what() << '\n';
    events_.push_back(format("not measured: {}", error.what()));
    send_at_once();
    return error.exit();
  }

  void send_at_once() {
    news_.events = events_;
    const Message message = message_of(night_, host_name(), news_);
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
  Binaries binaries_;
  std::optional<Store> store_;
  Night night_;
  std::vector<std::string> events_;
  std::vector<Night> ended_early_;
  News news_;
  std::vector<std::int64_t> closed_;
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
