#include "dashboards/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <utility>

#include "dashboards/numbers.h"
#include "dashboards/scaling.h"
#include "dashboards/text.h"
#include "dashboards/text_matrix.h"
#include "harness/format.h"
#include "harness/units.h"

namespace bench {
namespace {

// Where lines are gathered, wrapped to the options' width.
class Page {
 public:
  explicit Page(const TerminalOptions& options) : options_(options) {}

  void add(const TextMatrix& matrix) {
    for (const std::string& line : lay_out(matrix, options_.width, options_.colour))
      text_ += line + '\n';
  }
  void add(const std::string& paragraph, Style style = Style::plain) {
    for (const std::string& line : wrap(printable(paragraph), options_.width, 2)) {
      text_ += styled(line, style, options_.colour) + '\n';
    }
  }
  void blank() {
    if (!text_.empty()) text_ += '\n';
  }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] int width() const { return options_.width; }

 private:
  const TerminalOptions& options_;
  std::string text_;
};

Style style_of(const VariantChange& change) {
  const bool certain = change.interval && (change.interval->high < 1 || change.interval->low > 1);
  if (!certain) return Style::plain;
  return change.ratio < 1 ? Style::good : Style::bad;
}

// Variants that have a speed at some point; the others would be columns of one repeated word.
std::vector<std::string> measured_variants(const WorkloadSummary& workload) {
  std::vector<std::string> names;
  std::ranges::copy_if(workload.variants, std::back_inserter(names),
                       [&](const std::string& variant) {
                         return std::ranges::any_of(workload.points, [&](const PointSummary& p) {
                           const CaseSummary* c = find_variant(p, variant);
                           return c != nullptr && c->tpot_s;
                         });
                       });
  return names;
}

MatrixCell time_cell(const CaseSummary* c) {
  if (c == nullptr) return {"-", ""};
  if (!c->tpot_s) return {c->status_word(), ""};
  if (!c->change) return {milliseconds(*c->tpot_s), ""};
  MatrixCell cell{milliseconds(*c->tpot_s), change_text(c->change->ratio), style_of(*c->change)};
  if (c->change->interval) cell.interval = interval_text(c->change->ratio, *c->change->interval);
  return cell;
}

std::string best_change(const PointSummary& point) {
  const CaseSummary* best = nullptr;
  for (const CaseSummary& c : point.cases) {
    if (c.change && (best == nullptr || c.change->ratio < best->change->ratio)) best = &c;
  }
  return best == nullptr ? "" : best->variant() + " " + change_text(best->change->ratio);
}

// "1k, 64k" for "context 1k, pool_tokens 64k".
std::string values_of(const PointSummary& point, const std::vector<std::string>& axes) {
  std::vector<std::string> values;
  for (const std::string& axis : axes) {
    const ParameterInfo* info = find_parameter(axis);
    values.push_back(info == nullptr ? "" : to_text(point.parameters, *info));
  }
  return format("{}", join(values, ", "));
}

// Labels cut short could not be told apart: where they do not fit, the axes are named once, above.
bool labels_fit(const WorkloadSummary& workload, int width) {
  return std::ranges::all_of(workload.points, [&](const PointSummary& point) {
    return display_width(point.label) <= label_room(width);
  });
}

void add_points(const WorkloadSummary& workload, Page& page) {
  TextMatrix matrix{.corner = printable(workload.name) + ", ms",
                    .columns = measured_variants(workload),
                    .instead = "best"};
  if (matrix.columns.empty()) return;
  const bool whole = labels_fit(workload, page.width());
  if (!whole) {
    page.add(format("{} by {}:", workload.name, join(workload.axes, ", ")));
    matrix.corner = "ms";
  }
  for (const PointSummary& point : workload.points) {
    const std::string label = whole ? point.label : values_of(point, workload.axes);
    MatrixRow row{.label = label.empty() ? "TPOT" : label, .instead = best_change(point)};
    for (const std::string& variant : matrix.columns)
      row.cells.push_back(time_cell(find_variant(point, variant)));
    matrix.rows.push_back(std::move(row));
  }
  page.add(matrix);
}

std::string rise_text(const PoolFit& fit, Detail detail) {
  std::string text = fit.variant + " ";
  text += fit.rise > 1 ? significant(1 + fit.rise, 3) + " x" : format("{:+.1f} %", fit.rise * 100);
  if (detail != Detail::compact) text += format(" (R2 {:.4f})", fit.line.r2);
  return text;
}

void add_pool_fits(const WorkloadSummary& workload, Detail detail, Page& page) {
  std::map<std::string, std::vector<std::string>> by_held;
  for (const PoolFit& fit : workload.pool_fits) by_held[fit.held].push_back(rise_text(fit, detail));
  for (const auto& [held, texts] : by_held) {
    page.add(format("smallest to largest pool{}, by linear fit: {}",
                    held.empty() ? "" : " at " + held, join(texts, ", ")));
  }
}

// The step by the number of GPUs, where that varies.
void add_scaling(const WorkloadSummary& workload, Page& page) {
  for (const ScalingSeries& series : scaling_of(workload)) {
    TextMatrix matrix{.corner = "GPUs: " + printable(series.title),
                      .columns = {"ms", "tok/s", "efficiency", "all-reduce", "skew"}};
    for (const ScalingRow& row : series.rows) {
      const auto share = [](const std::optional<double>& value) {
        return MatrixCell{value ? percent_of(*value) : "-"};
      };
      matrix.rows.push_back({.label = format("{}", row.ranks),
                             .cells = {{milliseconds(row.tpot_s)},
                                       {significant(row.tokens_per_s)},
                                       {percent_of(row.efficiency)},
                                       share(row.allreduce_share),
                                       share(row.skew)}});
    }
    page.blank();
    page.add(matrix);
  }
}

std::vector<std::string> stage_order(const std::vector<const CaseSummary*>& cases) {
  static const std::vector<std::string> kOrder{"append",    "plan",    "gather",   "cast",
                                               "attention", "combine", "allreduce"};
  std::vector<std::string> names;
  for (const std::string& name : kOrder) {
    if (std::ranges::any_of(
            cases, [&](const CaseSummary* c) { return find_stage(*c, name) != nullptr; })) {
      names.push_back(name);
    }
  }
  for (const CaseSummary* c : cases) {
    for (const StageSummary& s : c->stages) {
      if (std::ranges::find(names, s.stage) == names.end()) names.push_back(s.stage);
    }
  }
  return names;
}

template <typename Figure>
void add_row(TextMatrix& matrix, const std::string& label,
             const std::vector<const CaseSummary*>& cases, Figure figure) {
  MatrixRow row{.label = label};
  bool any = false;
  for (const CaseSummary* c : cases) {
    row.cells.push_back(figure(*c));
    any = any || row.cells.back().main != "-";
  }
  if (any) matrix.rows.push_back(std::move(row));
}

MatrixCell ms_cell(const std::optional<double>& seconds) {
  return {seconds ? milliseconds(*seconds) : "-", ""};
}

bool beats_ceiling(const std::vector<const CaseSummary*>& cases) {
  return std::ranges::any_of(cases, [](const CaseSummary* c) {
    return std::ranges::any_of(
        c->stages, [](const StageSummary& s) { return s.of_ceiling.value_or(0) > kAboveCeiling; });
  });
}

void add_attribution(const PointSummary& point, double copy_bytes_per_s, Page& page) {
  std::vector<const CaseSummary*> cases;
  TextMatrix matrix{.corner = "stage, ms a step"};
  for (const CaseSummary& c : point.cases) {
    if (c.stages.empty()) continue;
    cases.push_back(&c);
    matrix.columns.push_back(c.variant());
  }
  if (cases.empty()) return;
  for (const std::string& name : stage_order(cases)) {
    add_row(matrix, name, cases, [&](const CaseSummary& c) -> MatrixCell {
      const StageSummary* s = find_stage(c, name);
      if (s == nullptr) return {"-", ""};
      return {milliseconds(s->seconds), s->of_ceiling ? percent_of(*s->of_ceiling) : "",
              Style::dim};
    });
  }
  add_row(matrix, "unattributed", cases,
          [](const CaseSummary& c) { return ms_cell(c.unattributed_s); });
  add_row(matrix, "TPOT", cases, [](const CaseSummary& c) { return ms_cell(c.tpot_s); });
  add_row(matrix, "projected TPOT", cases,
          [](const CaseSummary& c) { return ms_cell(c.projected_tpot_s); });
  add_row(matrix, "predicted saving", cases, [](const CaseSummary& c) {
    return ms_cell(c.saving ? c.saving->predicted_s : std::nullopt);
  });
  add_row(matrix, "achieved saving", cases, [](const CaseSummary& c) {
    return c.saving ? MatrixCell{milliseconds(c.saving->achieved_s), ""} : MatrixCell{"-", ""};
  });
  add_row(matrix, "moved", cases, [](const CaseSummary& c) -> MatrixCell {
    return {c.bytes > 0 ? format_bytes(c.bytes) : "-", ""};
  });
  add_row(matrix, "memory", cases, [](const CaseSummary& c) -> MatrixCell {
    return {c.memory_bytes ? format_bytes(*c.memory_bytes) : "-", ""};
  });
  page.blank();
  page.add(matrix);
  if (copy_bytes_per_s > 0) {
    page.add(format("Copy bandwidth measured: {}. Percentages are shares of it, predicted savings "
                    "bytes over it.",
                    format_bandwidth(copy_bytes_per_s)),
             Style::dim);
  }
  if (beats_ceiling(cases)) {
    page.add(
        "Above 100 %: the data lay in a cache, or the machine was busy while the copy "
        "bandwidth was measured. Nothing is predicted from a step above it.",
        Style::dim);
  }
}

// What happened to a case without a speed, in a form that gathers equal ones.
std::pair<std::string, std::string> fate(const CaseSummary& c) {
  const bool control = !c.measurements.empty() && c.measurements.front()->negative_control;
  if (c.is_sound_control()) return {c.variant(), "incorrect, as a negative control must be"};
  if (control && c.status == Status::ok) {
    return {c.variant(), "a negative control that came out correct: the check is at fault"};
  }
  return {c.variant() + " " + c.status_word(), c.reason};
}

void add_problems(const RunSummary& summary, Page& page) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> found;
  for (const WorkloadSummary& workload : summary.workloads) {
    for (const PointSummary& point : workload.points) {
      for (const CaseSummary& c : point.cases) {
        if (c.status == Status::ok && c.tpot_s) continue;
        found[fate(c)].push_back(place_text(workload.name, point.label));
      }
    }
  }
  if (!found.empty()) page.blank();
  for (const auto& [what, where] : found) {
    const std::string cases = where.size() == 1 ? where.front() : format("{} cases", where.size());
    page.add(format("{} ({}): {}", what.first, cases, what.second));
  }
}

}  // namespace

TerminalOptions detect_terminal() {
  TerminalOptions options;
  if (isatty(STDOUT_FILENO) == 1) {
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
      options.width = size.ws_col;
    const char* no_color = std::getenv("NO_COLOR");
    options.colour = no_color == nullptr || *no_color == '\0';
  } else if (const char* columns = std::getenv("COLUMNS")) {
    const int width = std::atoi(columns);
    if (width > 0) options.width = width;
  }
  options.width = std::clamp(options.width, 40, 400);
  return options;
}

std::string terminal_summary(const RunSummary& summary, const TerminalOptions& options) {
  Page page(options);
  const Headline found = headline(summary);
  page.add(sentence(found), Style::bold);
  for (const WorkloadSummary& workload : summary.workloads) {
    if (options.detail != Detail::compact) page.blank();
    add_points(workload, page);
    add_pool_fits(workload, options.detail, page);
    if (options.detail != Detail::compact) add_scaling(workload, page);
    if (options.detail != Detail::full) continue;
    for (const PointSummary& point : workload.points) {
      if (std::ranges::all_of(point.cases, [](const auto& c) { return c.stages.empty(); }))
        continue;
      if (!point.label.empty()) page.blank();
      page.add(point.label, Style::bold);
      add_attribution(point, summary.copy_bytes_per_s, page);
    }
  }
  if (options.detail == Detail::compact) return page.text();
  if (options.detail == Detail::normal && found.point != nullptr) {
    add_attribution(*found.point, summary.copy_bytes_per_s, page);
  }
  add_problems(summary, page);
  return page.text();
}

}  // namespace bench
