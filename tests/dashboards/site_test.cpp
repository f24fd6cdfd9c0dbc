#include "dashboards/site.h"

#include <gtest/gtest.h>

#include "tests/dashboards/golden.h"
#include "tests/dashboards/nights.h"
#include "tests/dashboards/page_text.h"

namespace bench {
namespace {

using testing::count;
using testing::ninety_nights;

TEST(Site, HoldsTheFiguresAsRecorded) {
  const std::string text = testing::table_text(site_html(ninety_nights()));
  EXPECT_EQ(text, testing::golden("site_tables.txt", text));
}

TEST(Site, IsTheSameBytesForTheSameData) {
  EXPECT_EQ(site_html(ninety_nights()), site_html(ninety_nights()));
}

TEST(Site, LoadsNothingAndLinksOnlyBesideItself) {
  const std::string html = site_html(ninety_nights());
  testing::expect_loads_nothing(html);
  EXPECT_EQ(count(html, "href="),
            count(html, "href=\"#") + count(html, "href=\"run-") + count(html, "href=\"compare-"));
}

TEST(Site, OpensWithWhatTheNewestRunSays) {
  EXPECT_EQ(count(site_html(ninety_nights()),
                  ">1 of 6 cases regressed: single_stream context 16k native_fp8 +4.1 % [+3.4, "
                  "+4.8], all of it in attention.</p>"),
            1U);
  EXPECT_EQ(count(site_html({.title = "bench", .runs = {}, .trends = {}, .generated = ""}),
                  "No run is stored."),
            1U);
}

TEST(Site, ShowsANightWithoutAValueAsAGap) {
  EXPECT_GE(count(site_html(ninety_nights()),
                  "<title>run 31, 2026-09-29: timeout: silent for 600 s</title>"),
            1U);
}

TEST(Site, ListsChangesOfLevelTheNewestFirst) {
  const std::string html = site_html(ninety_nights());
  EXPECT_EQ(
      count(html,
            "single_stream context 16k native_fp8</a> tpot, ms: step at run 71 of 2026-11-08: "
            "+4.1 %"),
      1U);
  EXPECT_GE(count(html, "drift from run "), 1U);
  EXPECT_EQ(count(site_html({.title = "bench"}), "No case has changed its level."), 1U);
}

TEST(Site, MarksEachNightByItsWorstVerdict) {
  const std::string html = site_html(ninety_nights());
  EXPECT_EQ(count(html, "<title>run 1, 2026-08-30, pinned baseline: not compared</title>"), 1U);
  EXPECT_EQ(count(html, "<title>run 70, 2026-11-07: Nothing is shown"), 1U);
  EXPECT_EQ(count(html, "<title>run 71, 2026-11-08: 1 of 6 cases regressed"), 1U);
}

TEST(Site, OfAYearOfManyCasesDrawsThoseThatSpeak) {
  Site site{.title = "bench"};
  for (int i = 0; i < 400; ++i) {
    Trend trend{.workload = "decode", .label = "context " + std::to_string(i), .metric = "tpot_s"};
    for (int night = 0; night < 365; ++night) {
      trend.points.push_back(
          {.run = std::to_string(night),
           .started_unix_s = 86400.0 * night,
           .value = 0.001 + 1e-6 * (night * 7 % 11) + 1e-5 * (i == 7) * (night > 300)});
    }
    if (i == 7)
      trend.changes.push_back({.begin = 301,
                               .end = 301,
                               .earliest = 301,
                               .latest = 301,
                               .before = 0.001,
                               .after = 0.00101});
    site.trends.push_back(std::move(trend));
  }
  const std::string html = site_html(site);
  EXPECT_EQ(count(html, "<figure"), 1U);  // of the one that changed
  EXPECT_EQ(count(html, "tpot, ms over 365 runs: 1.000 to 1.010. Each of them: bench history"),
            399U);
  EXPECT_EQ(count(html, "class=\"spark\""), 400U);
  EXPECT_LT(html.size(), 1'000'000U);
}

TEST(Site, ShowsHostileTextAsText) {
  Site site = ninety_nights();
  for (SiteRun& run : site.runs) run.verdict = run.run.tag = run.page = testing::kAttack;
  for (Trend& trend : site.trends) trend.variant = trend.label = testing::kAttack;
  testing::expect_no_markup_of(testing::kAttack, site_html(site));
}

}  // namespace
}  // namespace bench
