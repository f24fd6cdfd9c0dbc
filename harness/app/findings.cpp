#include "harness/app/findings.h"

#include <algorithm>
#include <map>

#include "dashboards/row_text.h"
#include "dashboards/verdict_sentence.h"
#include "harness/app/repeat_command.h"
#include "harness/format.h"
#include "results/restless.h"
#include "results/sample_size.h"

namespace bench {
namespace {

std::string subject_of(const std::string& workload, const Case& what, const std::string& metric,
                       const std::string& relative_to) {
  return format("{}|{}|{}{}", workload, case_id(what), metric, relative_text(relative_to));
}

std::string change_words(const Row& row) {
  const RowText text = row_text(row);
  if (text.before.empty()) return text.name + ": " + row.verdict.reason;
  std::string words =
      format("{}: {} {} -> {} ({}{}{})", text.name, text.metric, text.before, text.after,
             text.change, text.interval.empty() ? "" : " ", text.interval);
  const std::string cause = attribution(row);
  if (!cause.empty()) words += ", " + cause;
  return words;
}

class Words {
 public:
  Words(const RunRecord& run, const Wording& wording) : wording_(wording) {
    for (const PlannedCase& planned : run.plan) axes_[planned.workload] = planned.axes;
  }

  // The change, what did it, how to see it again, and where it is shown.
  std::string of(const Row& row, const Against& against) const {
    std::string words = change_words(row) + " against " + against.name;
    for (const std::string& stage : stage_texts(row)) words += "\n    " + stage;
    if (row.verdict.word == Word::inconclusive && row.verdict.replicates_needed) {
      words +=
          format("\n    inconclusive: {} replicates would tell", *row.verdict.replicates_needed);
    } else if (!row.verdict.reason.empty() && row.evidence) {
      words += "\n    " + row.verdict.reason;
    }
    words += noise_words(row, against);
    const auto axes = axes_.find(row.workload);
    const RepeatedCase repeated{row.workload,
                                axes == axes_.end() ? std::vector<std::string>{} : axes->second,
                                row.what, row.relative_to};
    words += "\n    again: " + repeat_command(wording_.argv, wording_.configuration, repeated);
    words += "\n    report: " + wording_.page(against.reference);
    return words;
  }

 private:
  // Whose noise left no answer, and the way out.
  [[nodiscard]] std::string noise_words(const Row& row, const Against& against) const {
    const Word word = row.verdict.word;
    if (word != Word::inconclusive && word != Word::invalid) return {};
    const std::size_t family = against.comparison.rows.size();
    const Restless whose = restless(row, family);
    if (whose == Restless::none) return {};
    const auto tells = [&](const std::vector<double>& values) {
      const auto least = resolution(values, family);
      return least ? format(" (it can tell {:.2g} % at best, {:.2g} % is asked)", *least * 100,
                            row.question.min_effect * 100)
                   : std::string();
    };
    std::string words;
    if (whose != Restless::candidate) {
      words += "\n    noise of the baseline" + tells(row.evidence->baseline_values) + ": ";
      words += wording_.quieter.empty() ? "accept a quieter run when there is one"
                                        : "a quieter run is there: " + wording_.quieter;
    }
    if (whose != Restless::baseline) {
      words += "\n    noise of this run" + tells(row.evidence->candidate_values);
    }
    return words;
  }

  const Wording& wording_;
  std::map<std::string, std::vector<std::string>> axes_;
};

Finding finding(std::string kind, std::string subject, std::string words, Exit exit) {
  return {.incident = {.kind = std::move(kind),
                       .subject = std::move(subject),
                       .words = std::move(words)},
          .exit = exit};
}

bool has(const std::vector<Finding>& findings, std::string_view kind, const std::string& subject) {
  return std::ranges::any_of(findings, [&](const Finding& f) {
    return f.incident.kind == kind && f.incident.subject == subject;
  });
}

// What a row says; nothing where it is fine, or another comparison's to say.
std::optional<Finding> finding_of(const Row& row, const Against& against, bool is_main,
                                  const Words& words) {
  std::optional<Finding> found;
  const std::string subject = bench::subject_of(row);
  const Word word = row.verdict.word;
  if (word == Word::regressed) {
    found = finding("regression", subject, words.of(row, against), Exit::regression);
  } else if (is_main && word == Word::improved) {
    found = finding("improvement", subject, words.of(row, against), Exit::ok);
  } else if (is_main && word != Word::unchanged && word != Word::improved) {
    found = finding("unjudged", subject, words.of(row, against), Exit::unjudged);
  }
  if (!found) return found;
  found->incident.reference = against.reference;
  found->row = row;
  return found;
}

// The direct comparison with the same run rules a change out: the trend only has not seen yet that
// the time is back where it was.
bool is_fine(const Against& against, const std::string& subject) {
  return std::ranges::any_of(against.comparison.rows, [&](const Row& row) {
    const Word word = row.verdict.word;
    return bench::subject_of(row) == subject && (word == Word::unchanged || word == Word::improved);
  });
}

}  // namespace

std::string subject_of(const Row& row) {
  return subject_of(row.workload, row.what, row.metric, row.relative_to);
}

std::vector<Finding> findings_of(const RunRecord& run, const Judgement& main,
                                 const std::vector<Against>& all, const Wording& wording) {
  const Words words(run, wording);
  std::vector<Finding> found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Row& row : all[i].comparison.rows) {
      auto one = finding_of(row, all[i], i == 0, words);
      if (one && !has(found, one->incident.kind, one->incident.subject)) {
        found.push_back(std::move(*one));
      }
    }
  }
  if (!main.comparison.refused.empty()) {
    found.push_back(finding(
        "unjudged", "run",
        format("nothing was compared with {}: {}", all.front().name, main.comparison.refused),
        Exit::unjudged));
  }
  for (const Uncovered& gate : main.uncovered) {
    found.push_back(
        finding("unjudged", uncovered_gate(gate), uncovered_text(gate), Exit::unjudged));
  }
  for (const Worsened& worsened : main.worsened) {
    const PlannedCase& planned = worsened.planned;
    const std::string subject =
        subject_of(planned.workload, planned.what, worsened.metric, worsened.relative_to);
    if (has(found, "regression", subject) || is_fine(all.front(), subject)) continue;
    found.push_back(finding("drift", subject,
                            worsened.words + "\n    report: " + wording.page(all.front().reference),
                            Exit::regression));
    found.back().incident.reference = all.front().reference;
  }
  for (Finding& one : found) one.incident.run = run.info.number;
  return found;
}

std::vector<Finding> unmeasured(const RunRecord& run, const std::vector<Finding>& covered) {
  std::map<std::string, std::vector<const Measurement*>> measured;
  for (const Measurement& m : run.measurements) {
    measured[m.workload + "|" + case_id(m.what)].push_back(&m);
  }
  std::vector<Finding> found;
  for (const PlannedCase& planned : run.plan) {
    if (!planned.skip.empty()) continue;
    const std::string subject = planned.workload + "|" + case_id(planned.what);
    const bool told = std::ranges::any_of(
        covered, [&](const Finding& f) { return f.incident.subject.starts_with(subject + "|"); });
    const auto& those = measured[subject];
    const auto bad = std::ranges::find_if(those, [](const Measurement* m) { return failed(*m); });
    const bool missing = std::ssize(those) < planned.replicates;
    if (told || (!missing && bad == those.end())) continue;
    const std::string why =
        bad != those.end() ? format("{}: {}", to_string((*bad)->status), (*bad)->reason)
                           : format("measured {} of {} times", those.size(), planned.replicates);
    found.push_back(
        finding("not measured", subject,
                format("{}{}{}, {}: {}", planned.workload, planned.label.empty() ? "" : ", ",
                       planned.label, planned.what.variant, why),
                Exit::unjudged));
    found.back().incident.run = run.info.number;
  }
  return found;
}

bool is_over(const Incident& incident, const std::vector<Against>& all) {
  if (incident.kind != "regression") return true;
  for (const Against& against : all) {
    if (!against.comparison.refused.empty()) return false;
    const bool has_a_say = &against == &all.front() || against.reference == incident.reference;
    for (const Row& row : against.comparison.rows) {
      if (!has_a_say || subject_of(row) != incident.subject) continue;
      const Word word = row.verdict.word;
      if (word != Word::unchanged && word != Word::improved && word != Word::regressed)
        return false;
    }
  }
  return true;
}

}  // namespace bench
