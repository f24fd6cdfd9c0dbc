#include "dashboards/sample_chart.h"

#include <algorithm>
#include <cmath>

#include "dashboards/figure.h"
#include "dashboards/numbers.h"
#include "harness/format.h"

namespace bench {
namespace {

constexpr std::size_t kMostLargeCharts = 60;
// Stretches of a chart: fewer where a page has many cases.
constexpr std::size_t kMostBuckets = 180, kFewestBuckets = 24, kBucketsOfPage = 12000;
constexpr double kSparkHeight = 32;
constexpr double kSamplesLeft = 80, kTimeHeight = 84, kClockHeight = 40, kThrottleHeight = 14,
                 kLaneGap = 8;

// Stretches of values as vertical strokes from low to high, `pitch` apart, in a box whose top is
// `top`. Relative moves of whole units: the shortest path.
std::string strokes(const std::vector<Extremes>& stretches, double left, double pitch, double top,
                    double height) {
  double low = stretches.front().low;
  double high = stretches.front().high;
  for (const Extremes& e : stretches) {
    low = std::min(low, e.low);
    high = std::max(high, e.high);
  }
  const double scale = high > low ? (height - 2) / (high - low) : 0;
  std::string path;
  double at = 0;
  double x = left;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const double bottom = std::floor(top + 1 + (high - stretches[i].low) * scale);
    const double end = std::floor(top + (high - stretches[i].high) * scale);
    path += i == 0 ? format("M{} {}v{}", px(x), bottom, end - bottom)
                   : format("m{} {}v{}", px(pitch), bottom - at, end - bottom);
    at = end;
    x += pitch;
  }
  return path;
}

// Few values as one line through all of them, in the same box.
std::string line_through(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  const double scale = high > low ? (kSparkHeight - 4) / (high - low) : 0;
  std::string path;
  for (std::size_t i = 0; i < values.size(); ++i)
    path += format("{}{} {}", i == 0 ? "M" : "L", i, px(2 + (high - values[i]) * scale));
  return path;
}

struct Track {
  std::vector<double> seconds, clock_hz;
  std::vector<const Measurement*> replicates;
};

Track track_of(const CaseSummary& c) {
  Track track;
  std::size_t samples = 0;
  for (const Measurement* m : c.measurements) {
    if (m->status != Status::ok || m->samples_s.empty()) continue;
    track.replicates.push_back(m);
    samples += m->samples_s.size();
  }
  track.seconds.reserve(samples);
  track.clock_hz.reserve(samples);
  for (const Measurement* m : track.replicates) {
    track.seconds.insert(track.seconds.end(), m->samples_s.begin(), m->samples_s.end());
    track.clock_hz.insert(track.clock_hz.end(), m->sample_clock_hz.begin(),
                          m->sample_clock_hz.end());
  }
  // A lane that does not line up with the times would mislead.
  if (track.clock_hz.size() != track.seconds.size()) track.clock_hz.clear();
  return track;
}

std::string range_text(const Track& track) {
  const auto [low, high] = std::ranges::minmax(track.seconds);
  return format("{} samples, {} to {} ms, in order", track.seconds.size(), milliseconds(low),
                milliseconds(high));
}

struct Lane {
  const std::vector<double>& values;
  double scale;  // from values to what is written
  std::string_view unit;
  double top;
  double height;
};

// Its strokes, the range of its values at the left.
void draw_lane(const Lane& lane, std::size_t buckets, Html& page) {
  const auto& [values, scale, unit, top, height] = lane;
  const auto [low, high] = std::ranges::minmax(values);
  const std::vector<Extremes> stretches = envelope(values, buckets);
  const double pitch = (kFigureWidth - kSamplesLeft) / static_cast<double>(stretches.size());
  draw_text(significant(high * scale), "tick", kSamplesLeft - 6, top + 11, Anchor::end, page);
  draw_text(significant(low * scale), "tick", kSamplesLeft - 6, top + height - 1, Anchor::end,
            page);
  draw_text(std::string(unit), "name", 0, top + height / 2 + 4, Anchor::start, page);
  page.empty("path", {{"class", "strokes"},
                      {"d", strokes(stretches, kSamplesLeft + pitch / 2, pitch, top, height)}});
}

// Where each replicate lies, with what is known of it; a throttled one has a bar in the last lane.
void draw_replicates(const Track& track, double throttle_top, Html& page) {
  const double per_sample =
      (kFigureWidth - kSamplesLeft) / static_cast<double>(track.seconds.size());
  double x = kSamplesLeft;
  draw_text("throttled", "name", 0, throttle_top + 11, Anchor::start, page);
  for (const Measurement* m : track.replicates) {
    const double width = static_cast<double>(m->samples_s.size()) * per_sample;
    const std::string& reasons = m->telemetry.throttle_reasons;
    std::string note = format("replicate {}: {} samples, median {} ms", m->replicate,
                              m->samples_s.size(), milliseconds(median(m->samples_s)));
    note += reasons.empty() ? ", not throttled" : ", throttled: " + reasons;
    page.open("rect", {{"class", "zone pt"},
                       {"x", px(x)},
                       {"y", "0"},
                       {"width", px(width)},
                       {"height", px(throttle_top)}});
    page.element("title", note).close();
    if (!reasons.empty()) {
      page.empty("rect", {{"class", "throttled"},
                          {"x", px(x)},
                          {"y", px(throttle_top)},
                          {"width", px(width)},
                          {"height", px(kThrottleHeight)}});
    }
    x += width;
  }
}

void draw_large(const Track& track, std::size_t buckets, Html& page) {
  const double clock_top = kTimeHeight + kLaneGap;
  const double throttle_top =
      track.clock_hz.empty() ? clock_top : clock_top + kClockHeight + kLaneGap;
  open_figure(range_text(track), "step time of every sample, with the SM clock and throttling",
              throttle_top + kThrottleHeight, page);
  draw_lane({track.seconds, 1e3, "ms", 0, kTimeHeight}, buckets, page);
  if (!track.clock_hz.empty())
    draw_lane({track.clock_hz, 1e-6, "MHz", clock_top, kClockHeight}, buckets, page);
  draw_replicates(track, throttle_top, page);
  close_figure(
      {},
      "Each stroke spans the extremes of a stretch of samples; shaded alternately by replicate.",
      page);
}

}  // namespace

std::vector<Extremes> envelope(const std::vector<double>& values, std::size_t buckets) {
  std::vector<Extremes> out;
  const std::size_t count = std::min(buckets, values.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(i * values.size() / count);
    const auto last = values.begin() + static_cast<std::ptrdiff_t>((i + 1) * values.size() / count);
    const auto [low, high] = std::minmax_element(first, last);
    out.push_back({*low, *high});
  }
  return out;
}

void draw_spark(const std::vector<double>& values, Html& page, std::size_t buckets) {
  if (values.size() < 2) return;
  const std::vector<Extremes> stretches = envelope(values, buckets);
  const bool few = values.size() <= 2 * buckets;
  const std::size_t width = few ? values.size() : stretches.size();
  page.open("svg", {{"class", "spark"},
                    {"viewBox", format("-1 0 {} {}", width + 1, kSparkHeight)},
                    {"preserveAspectRatio", "none"},
                    {"aria-hidden", "true"}});
  page.empty("path",
             {{"d", few ? line_through(values) : strokes(stretches, 0, 1, 0, kSparkHeight)}})
      .close();
}

void draw_samples(const CaseSummary& c, std::size_t cases_on_page, Html& page) {
  const Track track = track_of(c);
  if (track.seconds.size() < 2) return;
  const std::size_t buckets = std::clamp(kBucketsOfPage / std::max<std::size_t>(cases_on_page, 1),
                                         kFewestBuckets, kMostBuckets);
  if (cases_on_page > kMostLargeCharts) {
    page.open("p").text(range_text(track) + ": ");
    draw_spark(track.seconds, page, buckets);
    page.close();
  } else {
    draw_large(track, buckets, page);
  }
}

}  // namespace bench
