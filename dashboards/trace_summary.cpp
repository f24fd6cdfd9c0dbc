#include "dashboards/trace_summary.h"

#include <algorithm>
#include <filesystem>

#include "dashboards/numbers.h"
#include "dashboards/text.h"
#include "harness/format.h"
#include "harness/units.h"

namespace bench {
namespace {

constexpr int kSummaryWidth = 120;
constexpr int kSummaryIndent = 10;
constexpr int kName = 40;  // of a file
constexpr int kRest = 26;  // of ", the rest 0.1234 ms 1.2 %"

// 495552 -> "495,552"
std::string grouped(std::int64_t value) {
  const std::string digits = std::to_string(value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string counted(std::int64_t count, const std::string& noun) {
  return format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::string ms(double seconds) { return milliseconds(seconds) + " ms"; }

// "title       text", further lines below the text.
std::string line(std::string_view title, const std::string& text) {
  std::string out = pad(title, kSummaryIndent, Align::left);
  bool first = true;
  for (const std::string& part : wrap(text, kSummaryWidth - kSummaryIndent, 0)) {
    if (!first) out += std::string(kSummaryIndent, ' ');
    out += part + "\n";
    first = false;
  }
  return out;
}

std::string_view step_word(StepKind kind) {
  return kind == StepKind::decode ? "decode step" : "prefill step";
}

std::string source_text(const TraceAnalysis& a) {
  std::string text = a.device_name.empty() ? "device " + std::to_string(a.device) : a.device_name;
  if (a.rank >= 0) text += format(", rank {} of {}", a.rank, a.world_size);
  text += format(", {}, {} events", counted(a.kernels, "kernel"), grouped(a.events));
  if (a.other_devices > 0)
    text += format("; {} more have less time", counted(a.other_devices, "device"));
  if (a.left_out > 0) text += format("; {} without a time left out", grouped(a.left_out));
  if (!a.damage.empty()) text += "; " + a.damage;
  return format("{}: {}", ellipsis(std::filesystem::path(a.path).filename().string(), kName), text);
}

std::string steps_text(const TraceAnalysis& a) {
  std::string text = counted(a.step_count(), std::string(step_word(a.kind)));
  if (a.layers.count > 0) text += format(" of {} layers", a.layers.count);
  if (a.kind == StepKind::decode && a.prefill_steps > 0) {
    text += format(", {} of prefill", counted(a.prefill_steps, "step"));
  }
  text += format(", by {}", a.method);
  if (a.outside > 0) text += format("; {} in no step, left out", counted(a.outside, "kernel"));
  return text;
}

std::string layers_text(const TraceAnalysis& a) {
  if (a.layers.count == 0) return "no kernel recurs evenly within a step";
  std::string text = format("{} a layer", ms(a.layers.median_s));
  if (a.layers.outliers.empty()) return text + ", all alike";
  const std::size_t shown = std::min<std::size_t>(a.layers.outliers.size(), 3);
  for (std::size_t i = 0; i < shown; ++i) {
    const OutlierLayer& o = a.layers.outliers[i];
    text += format("{} layer {} {}", i == 0 ? ", but" : ",", o.layer, ms(o.seconds));
  }
  if (a.layers.outliers.size() > shown)
    text += format(", {} more", a.layers.outliers.size() - shown);
  return text;
}

std::string step_text(const TraceAnalysis& a) {
  std::string text = format("{}: busy {}, idle {}", ms(a.step_s), ms(a.busy_s), ms(a.idle_s));
  text += format(" ({} of it waiting for the host)", a.host_s > 0 ? ms(a.host_s) : "none");
  if (a.overlap_s > 0.001 * a.step_s) text += format(", streams overlap for {}", ms(a.overlap_s));
  return text + "; " + layers_text(a);
}

std::string categories_text(const TraceAnalysis& a) {
  std::vector<std::size_t> order;
  double all = 0;
  for (std::size_t i = 0; i < kCategories; ++i) {
    all += a.categories.at(i).seconds;
    if (a.categories.at(i).seconds > 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t i) { return a.categories.at(i).seconds; });
  std::string text;
  double told = 0;
  for (const std::size_t i : order) {
    const double seconds = a.categories.at(i).seconds;
    const std::string next =
        format("{}{} {} {}", text.empty() ? "" : ", ", title_of(static_cast<Category>(i)),
               ms(seconds), percent_of(seconds / all));
    const int room = kSummaryWidth - kSummaryIndent - (i == order.back() ? 0 : kRest);
    if (display_width(text + next) > room) {
      return text + format(", the rest {} {}", ms(all - told), percent_of((all - told) / all));
    }
    text += next;
    told += seconds;
  }
  return text;
}

std::string waste_rate_text(const Waste& w, const TraceAnalysis& a) {
  const double rate = w.bytes_a_step() / w.seconds;
  std::string text = format("{} a step, {} each, {}", ms(w.seconds),
                            format_seconds(Seconds(w.seconds / static_cast<double>(w.layers))),
                            format_bandwidth(rate));
  if (a.peak_bytes_per_s > 0)
    text += format(" ({} of peak)", percent_of(rate / a.peak_bytes_per_s));
  if (w.amplification() > 0) {
    text += format("; {} x the bytes of the {} {}", significant(w.amplification(), 3),
                   grouped(w.active_tokens), w.active_given ? "active" : "fetched after it");
  } else {
    text += "; --active N says what is needed";
  }
  return text;
}

std::string ways_out_text(const Waste& w) {
  std::string text;
  for (const WayOut& way : w.ways) {
    text += format("{}{} {} less", text.empty() ? "" : "; ", way.variant, ms(way.saved_s));
    if (way.instead_s > 0) {
      text += format(" ({} instead, by {})", format_seconds(Seconds(way.instead_s)), way.basis);
    }
    if (way.pool_bytes > 0) {
      text += format(", with {} of pool for {}", format_bytes(way.pool_bytes),
                     format_bytes(static_cast<double>(w.read_bytes * w.layers)));
    }
  }
  return text;
}

// The smaller wastes in one line.
std::string also_text(const TraceAnalysis& a) {
  const Waste& w = a.waste.at(1);
  std::string text = format("{} x {} values {} times, {} a step ({})", grouped(w.pool_tokens),
                            w.width, w.layers, ms(w.seconds), percent_of(w.share));
  if (a.waste.size() > 2) text += format(", and {} more", a.waste.size() - 2);
  return text;
}

}  // namespace

std::string waste_sentence(const TraceAnalysis& a) {
  if (a.waste.empty() && a.active_pool_tokens > 0) {
    return format(
        "none: every layer of every step copies {} rows, but half of them or more are active",
        grouped(a.active_pool_tokens));
  }
  if (a.waste.empty())
    return "none: no large tensor is converted or copied in every layer of every step";
  const Waste& w = a.waste.front();
  const bool casts = w.from != w.to;
  const std::string what =
      w.pool_tokens > 0 ? format("{} x {}", grouped(w.pool_tokens), w.width) : grouped(w.elements);
  std::string text =
      format("{} of each {} {} {} {}values{}, {} times", percent_of(w.share), step_word(a.kind),
             casts ? "casts" : "copies", what, w.from == "?" ? "" : w.from + " ",
             casts ? " to " + w.to : "", w.layers);
  if (w.active_share() > 0) {
    text += format("; at most {:.2g} % of them can be active", w.active_share() * 100);
  }
  text += format("; that is {} a step", format_bytes(w.bytes_a_step()));
  if (w.inferred) text += " (inferred from the grid: no shapes recorded)";
  return text;
}

std::string trace_ranks(std::span<const TraceAnalysis> ranks) {
  std::string out;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const TraceAnalysis& a = ranks[i];
    const bool twice = i > 0 && a.rank >= 0 && a.rank == ranks[i - 1].rank;
    const double waste = a.waste.empty() ? 0 : a.waste.front().seconds;
    out += line(a.rank < 0 ? "rank ?" : format("rank {}", a.rank),
                format("{}: step {}, busy {}, collectives {}, pool copies {}{}",
                       std::filesystem::path(a.path).filename().string(), ms(a.step_s),
                       ms(a.busy_s), ms(a.of(Category::collective).seconds), ms(waste),
                       twice ? " (the same rank as above: of another recording?)" : ""));
  }
  return out + "The slowest rank:\n";
}

std::string trace_left_out(const std::string& why) { return line("left out", why); }

std::vector<TraceFact> trace_facts(const TraceAnalysis& a) {
  std::vector<TraceFact> facts{{"trace", source_text(a)}};
  if (!a.note.empty()) facts.push_back({"note", a.note});
  facts.push_back({"steps", steps_text(a)});
  facts.push_back({"step", step_text(a)});
  facts.push_back({"kernels", categories_text(a)});
  facts.push_back({a.waste.empty() ? "waste" : "WASTE", waste_sentence(a)});
  if (a.waste.empty()) return facts;
  facts.push_back({"", waste_rate_text(a.waste.front(), a)});
  if (!a.waste.front().ways.empty()) facts.push_back({"ways out", ways_out_text(a.waste.front())});
  if (a.waste.size() > 1) facts.push_back({"also", also_text(a)});
  return facts;
}

std::string trace_summary(const TraceAnalysis& a) {
  std::string out;
  for (const TraceFact& fact : trace_facts(a)) out += line(fact.title, fact.text);
  return out;
}

}  // namespace bench
