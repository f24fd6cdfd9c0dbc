#include "dashboards/request_chart.h"

#include <gtest/gtest.h>

#include "tests/dashboards/page_text.h"

namespace bench {
namespace {

TEST(InFlight, CountsTheFewestAndTheMostOfEachStretch) {
  const std::vector<RequestTrace> requests{{.sent_s = 0, .end_s = 4},
                                           {.sent_s = 1, .end_s = 2.5},
                                           {.sent_s = 2, .end_s = 3.5},
                                           {.sent_s = 2.2, .end_s = 2.4}};
  const InFlight flight = in_flight(requests, 4);
  EXPECT_EQ(flight.seconds, 4);
  EXPECT_EQ(flight.most, (std::vector<double>{1, 2, 4, 2}));
  EXPECT_EQ(flight.fewest, (std::vector<double>{1, 2, 2, 1}));
}

TEST(InFlight, KeepsAPeakThatIsShorterThanAStretch) {
  std::vector<RequestTrace> requests{{.sent_s = 0, .end_s = 100}};
  for (int i = 0; i < 9; ++i) requests.push_back({.sent_s = 50.001, .end_s = 50.002});
  EXPECT_EQ(in_flight(requests, 10).most[5], 10);
}

TEST(InFlight, OfNoRequestsIsEmpty) {
  EXPECT_TRUE(in_flight({}, 10).most.empty());
  Html page;
  draw_in_flight("none", {}, page);
  EXPECT_EQ(page.take(), "");
}

TEST(InFlight, ShowsFailuresByClass) {
  Html page;
  draw_in_flight("live",
                 {.requests = {{.sent_s = 0, .end_s = 1, .failure = "reset"},
                               {.sent_s = 0, .end_s = 2},
                               {.sent_s = 1, .end_s = 2, .failure = "timeout"}}},
                 page);
  const std::string html = page.take();
  EXPECT_EQ(testing::count(html, "3 requests, failed: 1 reset, 1 timeout."), 1U);
  EXPECT_EQ(testing::count(html, "<title>reset at 1.000 s</title>"), 1U);
}

}  // namespace
}  // namespace bench
