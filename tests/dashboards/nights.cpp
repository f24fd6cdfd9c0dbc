#include "tests/dashboards/nights.h"

#include <array>

#include "harness/format.h"

namespace bench::testing {
namespace {

constexpr std::int64_t kNights = 90;
constexpr double kFirst = 1788120000;  // 2026-08-30 20:00:00 UTC
constexpr std::int64_t kStep = 71, kFailed = 31;
constexpr std::array kVariants{"full_pool_cast", "gather_cast", "native_fp8"};

double started(std::int64_t run) { return kFirst + 86400.0 * static_cast<double>(run - 1); }

// What a night measured of a case, in the order of history().
std::vector<HistoryPoint> nights_of(std::size_t which) {
  std::vector<HistoryPoint> points;
  const double level = 1e-3 * static_cast<double>(10 * (which + 1));
  for (std::int64_t run = 1; run <= kNights; ++run) {
    double value = level * (1 + 0.002 * static_cast<double>(run * 7919 % 13) / 13);
    if (which == 2 && run >= kStep) value *= 1.041;
    if (which == 4) value *= 1 + 0.0005 * static_cast<double>(run);
    for (std::int64_t replicate = 0; replicate < 3; ++replicate) {
      HistoryPoint p{.run = run,
                     .run_id = format("{:032x}", run),
                     .started_unix_s = started(run),
                     .fingerprint = "box",
                     .workload = "single_stream",
                     .replicate = replicate,
                     .status = Status::ok,
                     .value = value * (1 + 0.001 * static_cast<double>(replicate - 1)),
                     .version = 1};
      if (run == kFailed) {
        p.status = Status::timeout;
        p.reason = "silent for 600 s";
        p.value.reset();
      }
      points.push_back(p);
    }
  }
  return points;
}

Trend trend(std::size_t which) {
  const std::vector<HistoryPoint> points = nights_of(which);
  const HistorySeries series = series_of(points).front();
  Trend made = trend_of(series, changes_of(series));
  made.label = which < 3 ? "context 16k" : "context 4k";
  made.variant = kVariants.at(which % 3);
  made.metric = "tpot_s";
  made.baseline = made.points.front().value;
  made.baseline_run = "1";
  made.verdict = Verdict{.word = which == 2 || which == 4 ? Word::regressed : Word::unchanged,
                         .reason = "against the pinned run"};
  return made;
}

SiteRun night(std::int64_t number) {
  SiteRun run{.started_unix_s = started(number),
              .status = "complete",
              .page = format("run-{}.html", number),
              .compare_page = format("compare-1-{}.html", number),
              .against = "run 1, pinned",
              .verdict = "Nothing is shown to have changed in 6 cases.",
              .worst = Word::unchanged,
              .pinned = number == 1};
  run.run.id = format("{}", number);
  run.run.name = "glm5";
  run.run.started = date_text(run.started_unix_s) + " 20:00:00 UTC";
  if (number == 1) run.worst.reset();
  if (number == 1) run.compare_page = run.verdict = "";
  if (number == kFailed) run.worst = Word::missing;
  if (number >= kStep) {
    run.worst = Word::regressed;
    run.verdict =
        "1 of 6 cases regressed: single_stream context 16k native_fp8 +4.1 % [+3.4, +4.8], all of "
        "it in attention.";
  }
  return run;
}

}  // namespace

Site ninety_nights() {
  Site site{.title = "bench: every run", .generated = "2026-11-28 06:00:00 UTC"};
  for (std::int64_t number = kNights; number >= 1; --number) site.runs.push_back(night(number));
  for (std::size_t which = 0; which < 6; ++which) site.trends.push_back(trend(which));
  return site;
}

}  // namespace bench::testing
