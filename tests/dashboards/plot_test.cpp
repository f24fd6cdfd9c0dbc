#include "dashboards/plot.h"

#include <gtest/gtest.h>

#include "dashboards/axis.h"
#include "dashboards/bars.h"
#include "tests/dashboards/page_text.h"

namespace bench {
namespace {

using testing::count;

std::vector<std::string> labels(const Scale& scale) {
  std::vector<std::string> out;
  for (const Tick& t : scale.ticks()) out.push_back(t.label);
  return out;
}

TEST(Scale, PutsRoundNumbersOnALinearAxis) {
  const std::vector<double> values{3, 97};
  const Scale scale({.from_zero = true}, values, 0, 100);
  EXPECT_EQ(labels(scale), (std::vector<std::string>{"0", "20", "40", "60", "80", "100"}));
  EXPECT_DOUBLE_EQ(scale.at(0), 0);
}

TEST(Scale, PutsDecadesOnALogAxis) {
  const std::vector<double> values{0.2, 300};
  EXPECT_EQ(labels(Scale({.log = true}, values, 0, 100)),
            (std::vector<std::string>{"1", "10", "100"}));
}

TEST(Scale, TakesTheTicksOfACountAxisFromTheData) {
  const std::vector<double> values{65536, 495552, 65536};
  EXPECT_EQ(labels(Scale({.log = true, .counts = true}, values, 0, 100)),
            (std::vector<std::string>{"64k", "495552"}));
}

TEST(Scale, IgnoresWhatALogAxisCannotShow) {
  const std::vector<double> values{0, -5, 10, 100};
  const Scale scale({.log = true}, values, 0, 100);
  EXPECT_FALSE(scale.shows(0));
  EXPECT_GT(scale.at(10), 0);
}

TEST(Scale, HasRoomForOneValueAndForNone) {
  const std::vector<double> one{5};
  EXPECT_GT(Scale({}, one, 0, 100).at(5), 0);
  EXPECT_LT(Scale({}, one, 0, 100).at(5), 100);
  EXPECT_FALSE(Scale({}, {}, 0, 100).ticks().empty());
}

Plot plot_of(std::vector<PlotPoint> points) {
  return {.title = "t",
          .caption = "",
          .x = {.title = "x"},
          .y = {.title = "y"},
          .series = {{.name = "s", .points = std::move(points)}}};
}

std::string drawn(const Plot& plot) {
  Html page;
  draw(plot, page);
  return page.take();
}

TEST(Plot, BreaksTheLineAtAGapAndSaysWhy) {
  const std::string svg = drawn(
      plot_of({{.x = 1, .y = 1}, {.x = 2, .note = "crashed"}, {.x = 3, .y = 3}, {.x = 4, .y = 4}}));
  const std::size_t line = svg.find("class=\"ln");
  const std::string path = svg.substr(line, svg.find("/>", line) - line);
  EXPECT_EQ(count(path, "M"), 2U);
  EXPECT_EQ(count(path, "L"), 1U);
  EXPECT_EQ(count(svg, "<title>crashed</title>"), 1U);
}

TEST(Plot, DrawsTheIntervalOfAPoint) {
  EXPECT_EQ(count(drawn(plot_of({{.x = 1, .y = 2, .low = 1, .high = 3}, {.x = 2, .y = 2}})),
                  "class=\"iv"),
            1U);
}

TEST(Plot, ShowsNotesAsText) {
  const std::string svg = drawn(plot_of({{.x = 1, .y = 1, .note = "</title><script>"}}));
  EXPECT_EQ(count(svg, "<script"), 0U);
  EXPECT_EQ(count(svg, "&lt;script&gt;"), 1U);
}

TEST(BarPlot, WritesTheReasonInsteadOfABar) {
  Html page;
  draw(BarPlot{"t", "", {{"a", {{"cast", 0, 3, "n"}}, "3.000 ms", ""}, {"b", {}, "", "incorrect"}}},
       page);
  const std::string svg = page.take();
  EXPECT_EQ(count(svg, "<rect"), 1U);
  EXPECT_EQ(count(svg, ">incorrect<"), 1U);
}

TEST(Waterfall, StartsEachStepWhereTheLastOneEnded) {
  Html page;
  draw(
      Waterfall{
          .title = "t",
          .first = "before",
          .last = "after",
          .first_value = "10",
          .last_value = "4",
          .start = 10,
          .steps = {{.name = "cast", .change = -8, .predicted = -6, .value = "-8", .note = "n"},
                    {.name = "gather", .change = 2, .value = "+2", .note = "n"}}},
      page);
  const std::string svg = page.take();
  const auto rect = [&](const std::string& css) {
    const std::size_t at = svg.find("<rect class=\"" + css + "\"");
    const std::size_t x = svg.find("x=\"", at) + 3;
    const std::size_t width = svg.find("width=\"", at) + 7;
    return std::pair{std::stod(svg.substr(x)), std::stod(svg.substr(width))};
  };
  const auto [saved_x, saved_width] = rect("bar pt saved");
  const auto [added_x, added_width] = rect("bar pt added");
  EXPECT_NEAR(added_x, saved_x, 0.11);
  EXPECT_NEAR(saved_width / added_width, 4, 0.02);
  EXPECT_NEAR(rect("predicted").second / added_width, 3, 0.02);
}

}  // namespace
}  // namespace bench
