#include "dashboards/comparison_markdown.h"

#include <string_view>
#include <vector>

#include "dashboards/row_text.h"
#include "harness/format.h"

namespace bench {
namespace {

// Text from outside as plain Markdown text in one table cell: no markup, no mention, no line break.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      out += ' ';
    } else if (c == '@') {
      out += "&#64;";
    } else if (c == '<') {
      out += "&lt;";
    } else {
      if (std::string_view("\\`*_{}[]()#!|~>").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string why(const Row& row) {
  const std::vector<std::string> stages = stage_texts(row);
  const bool alarm = row.verdict.word == Word::regressed || row.verdict.word == Word::improved;
  if (alarm && !stages.empty()) return plain(stages.front());
  std::string text = plain(row.verdict.reason);
  if (row.verdict.replicates_needed) {
    text += format("; {} replicates would tell", *row.verdict.replicates_needed);
  }
  return text;
}

std::string table_row(const Row& row) {
  const RowText text = row_text(row);
  return format("| {} | {} | {} | {} | {} | {} {} | {} | {} |\n", to_string(row.verdict.word),
                plain(text.name), plain(text.metric), text.before, text.after, text.change,
                plain(text.interval), text.detectable, why(row));
}

std::string run_in_markdown(const RunInfo& info) {
  if (info.number == 0) return plain(info.name);  // never stored, as of bench ab
  std::string text = format("run {} of {}", info.number, plain(info.name));
  if (!info.tag.empty()) text += format(" ({})", plain(info.tag));
  return text;
}

std::string head(const Comparison& comparison) {
  std::string out = format("**{}**\n\n", counts_text(comparison));
  if (comparison.within_run) {
    out += format("{}{} on {}.\n", comparison.candidate.number == 0 ? "" : "Variants of ",
                  run_in_markdown(comparison.candidate), plain(comparison.candidate.host));
  } else {
    out += format("Baseline {}, candidate {}, on {}.\n", run_in_markdown(comparison.baseline),
                  run_in_markdown(comparison.candidate), plain(comparison.candidate.host));
  }
  if (!comparison.refused.empty()) out += format("\n> Refused: {}\n", plain(comparison.refused));
  if (!comparison.marked.empty()) {
    out += format("\n> Not like for like: {}\n", plain(comparison.marked));
  }
  return out;
}

std::string foot(const Comparison& comparison) {
  std::string out;
  for (const MeanRatio& mean : comparison.means) {
    out += format("\nGeometric mean of {}{}: {} over {} cases.\n", plain(mean.metric),
                  mean.variant.empty() ? "" : format(" of {}", plain(mean.variant)),
                  ratio_text(mean.ratio), mean.cases);
  }
  for (const FactDifference& d : comparison.differences) {
    out += format("\n{}: {} before, {} after.\n", plain(d.name),
                  d.baseline.empty() ? "absent" : plain(d.baseline),
                  d.candidate.empty() ? "absent" : plain(d.candidate));
  }
  return out;
}

constexpr std::string_view kTableHead =
    "\n| verdict | case | metric | before | after | change [95 %] | detectable | why |\n"
    "|---|---|---|--:|--:|---|--:|---|\n";

}  // namespace

std::string comparison_markdown(const Comparison& comparison, const MarkdownOptions& options) {
  constexpr std::size_t kReserve = 400;  // for the fold and the count of what does not fit
  std::string out = head(comparison);
  const std::string end = foot(comparison);
  std::size_t left_out = 0;
  bool open = false;
  for (const Word word : kWordOrder) {
    const std::vector<const Row*> rows = rows_of(comparison, word);
    if (rows.empty()) continue;
    const bool folded = word == Word::unchanged;
    if (folded) out += format("\n<details><summary>{} unchanged</summary>\n", rows.size());
    if (folded || !open) out += kTableHead;
    open = true;
    for (const Row* row : rows) {
      const std::string line = table_row(*row);
      const bool fits = out.size() + line.size() + end.size() + kReserve <= options.budget;
      if (fits && left_out == 0) {
        out += line;
      } else {
        ++left_out;
      }
    }
    if (folded) out += "\n</details>\n";
  }
  if (left_out > 0) {
    out += format("\n{} more rows{}.\n", left_out,
                  options.report.empty() ? "" : " in " + plain(options.report));
  }
  return out.size() + end.size() <= options.budget ? out + end : out;
}

}  // namespace bench
