#include "dashboards/comparison_terminal.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "dashboards/row_text.h"
#include "dashboards/text.h"
#include "harness/format.h"

namespace bench {
namespace {

Style style_of(Word word) {
  switch (word) {
    case Word::regressed:
      return Style::bad;
    case Word::improved:
      return Style::good;
    case Word::unchanged:
      return Style::dim;
    case Word::inconclusive:
    case Word::missing:
    case Word::invalid:
      break;
  }
  return Style::bold;
}

std::string run_and_id(const RunInfo& info) {
  if (info.number == 0) return info.name;  // never stored, as of bench ab
  std::string text = format("run {} ({}, {}", info.number, info.id.substr(0, 8), info.name);
  if (!info.tag.empty()) text += ", " + info.tag;
  return text + ')';
}

void add_wrapped(std::string& out, const std::string& text, int width, int indent) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  for (const std::string& line : wrap(printable(text), width - indent, 0)) {
    out += margin + line + '\n';
  }
}

std::string head(const Comparison& comparison, int width) {
  std::string out;
  if (comparison.within_run) {
    add_wrapped(out,
                format("{}{} on {}", comparison.candidate.number == 0 ? "" : "variants of ",
                       run_and_id(comparison.candidate), comparison.candidate.host),
                width, 0);
  } else {
    add_wrapped(out, format("baseline  {}", run_and_id(comparison.baseline)), width, 0);
    add_wrapped(
        out,
        format("candidate {} on {}", run_and_id(comparison.candidate), comparison.candidate.host),
        width, 0);
  }
  for (const FactDifference& d : comparison.differences) {
    add_wrapped(
        out,
        format("differs: {}: {}, now {}", d.name, d.baseline.empty() ? "absent" : d.baseline,
               d.candidate.empty() ? "absent" : d.candidate),
        width, 0);
  }
  if (!comparison.marked.empty()) {
    add_wrapped(out, "not like for like: " + comparison.marked, width, 0);
  }
  if (!comparison.refused.empty()) {
    add_wrapped(
        out,
        format("refused: {}; --across-machines compares them all the same", comparison.refused),
        width, 0);
  }
  return out;
}

// The columns of the figures, as wide as their widest text.
struct Widths {
  int before = 0;
  int after = 0;
  int change = 0;
};

Widths widths_of(const std::vector<const Row*>& rows) {
  Widths widths;
  for (const Row* row : rows) {
    const RowText text = row_text(*row);
    widths.before = std::max(widths.before, display_width(text.before));
    widths.after = std::max(widths.after, display_width(text.after));
    widths.change = std::max(widths.change, display_width(text.change));
  }
  return widths;
}

// regressed     single_stream, context 4k, native_fp8
//               tpot, ms  95.60 -> 98.50  +3.0 % [+2.8, +3.3]  (shows 1.2 % and more)
//               why, unless it is the reason of the row `above`
void add_row(std::string& out, const Row& row, const Row* above, const Widths& widths,
             const TerminalOptions& options) {
  constexpr int kIndent = 14;
  const RowText text = row_text(row);
  std::string name;
  add_wrapped(name, text.name, options.width, kIndent);
  const std::string word = pad(to_string(row.verdict.word), kIndent, Align::left);
  out += styled(word, style_of(row.verdict.word), options.colour) + name.substr(kIndent);
  std::string figures = text.metric;
  if (!text.change.empty()) {
    figures =
        format("{}  {} -> {}  {} {}", text.metric, pad(text.before, widths.before, Align::right),
               pad(text.after, widths.after, Align::right),
               pad(text.change, widths.change, Align::right), text.interval);
  }
  if (!text.detectable.empty()) figures += format("  (shows {} and more)", text.detectable);
  add_wrapped(out, figures, options.width, kIndent);
  const bool told = above != nullptr && above->verdict.reason == row.verdict.reason;
  std::string reason = told ? "" : row.verdict.reason;
  if (!told && row.verdict.replicates_needed) {
    reason += format("; {} replicates would tell", *row.verdict.replicates_needed);
  }
  if (!told) add_wrapped(out, reason, options.width, kIndent);
  for (const std::string& stage : stage_texts(row)) add_wrapped(out, stage, options.width, kIndent);
}

}  // namespace

std::string comparison_text(const Comparison& comparison, const TerminalOptions& options) {
  std::string out = head(comparison, options.width) + '\n';
  std::vector<const Row*> listed;
  for (const Word word : kWordOrder) {
    if (word == Word::unchanged && options.detail != Detail::full) continue;
    for (const Row* row : rows_of(comparison, word)) listed.push_back(row);
  }
  const Widths widths = widths_of(listed);
  const Row* above = nullptr;
  for (const Row* row : listed) add_row(out, *row, std::exchange(above, row), widths, options);
  if (!listed.empty()) out += '\n';
  out += styled(counts_text(comparison), Style::bold, options.colour) + '\n';
  for (const MeanRatio& mean : comparison.means) {
    add_wrapped(out,
                format("geometric mean of {}{}: {}, {} cases", mean.metric,
                       mean.variant.empty() ? "" : " of " + mean.variant, ratio_text(mean.ratio),
                       mean.cases),
                options.width, 0);
  }
  return out;
}

}  // namespace bench
