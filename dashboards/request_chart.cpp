#include "dashboards/request_chart.h"

#include <algorithm>
#include <map>

#include "dashboards/axis.h"
#include "dashboards/figure.h"
#include "dashboards/numbers.h"
#include "harness/format.h"

namespace bench {
namespace {

constexpr std::size_t kBuckets = 240;
constexpr double kFlightLeft = 46, kFlightTop = 8, kFlightBottom = 128, kFlightHeight = 172;
constexpr double kFlightRight = kFigureWidth - 10;

struct FlightFrame {
  Scale x, y;
};

FlightFrame frame_of(const InFlight& flight) {
  const std::vector<double> times{0, flight.seconds};
  std::vector<double> counts = flight.most;
  counts.push_back(0);
  return {Scale({}, times, kFlightLeft, kFlightRight),
          Scale({.from_zero = true}, counts, kFlightBottom, kFlightTop)};
}

// The outline of a step function with one value a stretch.
std::string outline(const std::vector<double>& values, double seconds, const FlightFrame& frame) {
  std::string path = format("M{} {}", px(frame.x.at(0)), px(frame.y.at(0)));
  double drawn = -1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == drawn) continue;
    drawn = values[i];
    const double x = seconds * static_cast<double>(i) / static_cast<double>(values.size());
    path += format("H{}V{}", px(frame.x.at(x)), px(frame.y.at(drawn)));
  }
  return path + format("H{}V{}", px(frame.x.at(seconds)), px(frame.y.at(0)));
}

void draw_axes(const FlightFrame& frame, Html& page) {
  for (const Tick& t : frame.y.ticks()) {
    const double y = frame.y.at(t.value);
    page.empty("path", {{"class", "grid"},
                        {"d", format("M{} {}H{}", px(kFlightLeft), px(y), px(kFlightRight))}});
    draw_text(t.label, "tick", kFlightLeft - 6, y + 4.5, Anchor::end, page);
  }
  for (const Tick& t : frame.x.ticks()) {
    const double half = static_cast<double>(t.label.size()) * kCharacterWidth / 2;
    draw_text(t.label, "tick", std::min(frame.x.at(t.value), kFigureWidth - half),
              kFlightBottom + 18, Anchor::middle, page);
  }
  draw_text("seconds since the start of the pass", "name", (kFlightLeft + kFlightRight) / 2,
            kFlightHeight - 8, Anchor::middle, page);
}

void draw_steady_window(const PassTrace& pass, const FlightFrame& frame, Html& page) {
  if (pass.steady_to_s <= pass.steady_from_s) return;
  const double from = frame.x.at(pass.steady_from_s);
  page.open("rect", {{"class", "zone pt"},
                     {"x", px(from)},
                     {"y", px(kFlightTop)},
                     {"width", px(frame.x.at(pass.steady_to_s) - from)},
                     {"height", px(kFlightBottom - kFlightTop)}});
  page.element("title", format("steady window: {} s to {} s", significant(pass.steady_from_s),
                               significant(pass.steady_to_s)));
  page.close();
}

std::string failures_text(const PassTrace& pass) {
  std::map<std::string, int> count;
  for (const RequestTrace& r : pass.requests) {
    if (!r.failure.empty()) ++count[r.failure];
  }
  std::vector<std::string> parts;
  parts.reserve(count.size());
  for (const auto& [what, n] : count) parts.push_back(format("{} {}", n, what));
  return parts.empty() ? "none failed" : "failed: " + format("{}", join(parts, ", "));
}

void draw_failures(const PassTrace& pass, const FlightFrame& frame, Html& page) {
  constexpr std::size_t kMost = 200;
  std::size_t drawn = 0;
  for (const RequestTrace& r : pass.requests) {
    if (r.failure.empty() || ++drawn > kMost) continue;
    page.open("text", {{"class", "gap"},
                       {"x", px(frame.x.at(r.end_s))},
                       {"y", px(kFlightBottom - 4)},
                       {"text-anchor", "middle"}});
    page.element("title", format("{} at {} s", r.failure, significant(r.end_s)));
    page.text("\u00d7").close();
  }
}

}  // namespace

InFlight in_flight(std::span<const RequestTrace> requests, std::size_t buckets) {
  std::map<double, double> steps;
  InFlight flight;
  for (const RequestTrace& r : requests) {
    steps[r.sent_s] += 1;
    steps[std::max(r.end_s, r.sent_s)] -= 1;
    flight.seconds = std::max({flight.seconds, r.end_s, r.sent_s});
  }
  if (flight.seconds <= 0 || buckets == 0) return flight;
  const auto edge = [&](std::size_t i) {
    return flight.seconds * static_cast<double>(i) / static_cast<double>(buckets);
  };
  double now = 0;
  auto next = steps.begin();
  for (std::size_t i = 0; i < buckets; ++i) {
    for (; next != steps.end() && next->first <= edge(i); ++next) now += next->second;
    double low = now;
    double high = now;
    for (; next != steps.end() && next->first < edge(i + 1); ++next) {
      now += next->second;
      low = std::min(low, now);
      high = std::max(high, now);
    }
    flight.fewest.push_back(low);
    flight.most.push_back(high);
  }
  return flight;
}

void draw_in_flight(const std::string& title, const PassTrace& pass, Html& page) {
  const InFlight flight = in_flight(pass.requests, kBuckets);
  if (flight.most.empty()) return;
  const FlightFrame frame = frame_of(flight);
  open_figure(title, title, kFlightHeight, page);
  draw_axes(frame, page);
  draw_steady_window(pass, frame, page);
  page.empty("path", {{"class", "area k0"}, {"d", outline(flight.most, flight.seconds, frame)}});
  page.empty("path", {{"class", "area k0"}, {"d", outline(flight.fewest, flight.seconds, frame)}});
  page.empty("path", {{"class", "ln k0"}, {"d", outline(flight.most, flight.seconds, frame)}});
  draw_failures(pass, frame, page);
  close_figure(
      {},
      format("{} requests, {}. Line: most in flight in each stretch of {} s; darker: never "
             "fewer. Shaded: the steady window, from which rates are taken.",
             pass.requests.size(), failures_text(pass),
             significant(flight.seconds / static_cast<double>(kBuckets), 2)),
      page);
}

}  // namespace bench
