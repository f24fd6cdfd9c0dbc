#include "workloads/expand.h"

#include <algorithm>

#include "harness/format.h"
#include "workloads/possible.h"

namespace bench {
namespace {

class Expander {
 public:
  Expander(const Settings& settings, const std::vector<Dimension>& dimensions, const Where& where,
           Models& models)
      : settings_(settings), dimensions_(dimensions), where_(where), models_(models) {}

  Parameters parameters_at(const std::vector<std::size_t>& index) {
    Parameters p = base(model_at(index));
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
      for (const SweepAxis& axis : dimensions_[d].axes) {
        if (axis.info->name != "model") axis.info->set(p, axis.values[index[d]]);
      }
    }
    return p;
  }

  void check(const Parameters& p, const std::vector<std::size_t>& index) const {
    const auto wrong = impossible(p);
    if (!wrong) return;
    std::vector<std::string> values;
    bool swept = false;  // what is to blame: else it is wrong at every point
    for (const Dimension& dimension : dimensions_) {
      for (const SweepAxis& axis : dimension.axes) {
        values.push_back(format("{}: {}", axis.info->name, to_text(p, *axis.info)));
        swept = swept ||
                std::ranges::find(wrong->parameters, axis.info->name) != wrong->parameters.end();
      }
    }
    const std::string hint =
        !swept ? "" : format(" (or skip: [{{{}, reason: ...}}])", join(values, ", "));
    complain(place_of(*wrong, index), wrong->reason + hint);
  }

 private:
  struct Model {
    std::string name;
    Where where;
  };

  [[nodiscard]] Model model_at(const std::vector<std::size_t>& index) const {
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
      for (const SweepAxis& axis : dimensions_[d].axes) {
        if (axis.info->name != "model") continue;
        return {std::get<std::string>(axis.values[index[d]]), axis.places[index[d]]};
      }
    }
    const auto fixed = settings_.parameters.find("model");
    if (fixed == settings_.parameters.end()) return {};
    return {std::get<std::string>(fixed->second.value), fixed->second.where};
  }

  // What all points of a model begin with: the preset, then the workload's own values.
  const Parameters& base(const Model& model) {
    const auto known = bases_.find(model.name);
    if (known != bases_.end()) return known->second;
    Parameters p;
    if (!model.name.empty()) {
      const Preset& preset = models_.get(model.name, model.where);
      for (const auto& [name, value] : preset.values) find_parameter(name)->set(p, value);
      check_complete(preset, model);
      p.model = preset.name;
    }
    for (const auto& [name, assignment] : settings_.parameters) {
      if (name == "model" || !assignment.unset.empty()) continue;
      find_parameter(name)->set(p, assignment.value);
    }
    return bases_.emplace(model.name, std::move(p)).first->second;
  }

  void check_complete(const Preset& preset, const Model& model) const {
    for (const auto& info : parameter_table()) {
      const bool needed = info.scope == ParameterScope::model && info.name != "model";
      if (!needed || preset.values.contains(info.name)) continue;
      if (settings_.parameters.contains(info.name)) continue;
      if (find_axis(dimensions_, info.name) != nullptr) continue;
      complain(model.where, format("model '{}' does not give '{}' (--set {}=...)", preset.name,
                                   info.name, info.name));
    }
  }

  // The axis value to blame, else the fixed value, else the workload.
  [[nodiscard]] Where place_of(const Impossible& wrong,
                               const std::vector<std::size_t>& index) const {
    for (const auto& name : wrong.parameters) {
      for (std::size_t d = 0; d < dimensions_.size(); ++d) {
        for (const SweepAxis& axis : dimensions_[d].axes) {
          if (axis.info->name == name) return axis.places[index[d]];
        }
      }
    }
    for (const auto& name : wrong.parameters) {
      const auto fixed = settings_.parameters.find(name);
      if (fixed != settings_.parameters.end()) return fixed->second.where;
    }
    return where_;
  }

  const Settings& settings_;
  const std::vector<Dimension>& dimensions_;
  const Where& where_;
  Models& models_;
  std::map<std::string, Parameters> bases_;
};

bool matches(const SkipRule& rule, const std::vector<Dimension>& dimensions,
             const std::vector<std::size_t>& index) {
  return std::ranges::all_of(rule.matches, [&](const SkipRule::Match& match) {
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
      for (const SweepAxis& axis : dimensions[d].axes) {
        if (axis.info->name == match.axis) {
          return std::ranges::count(match.values, axis.values[index[d]]) > 0;
        }
      }
    }
    return false;
  });
}

// The variable that all points wait for; empty: none.
std::string unset_variable(const Settings& settings) {
  for (const auto& [name, assignment] : settings.parameters) {
    if (!assignment.unset.empty()) return assignment.unset;
  }
  return "";
}

// The next combination, the last dimension the fastest. False: that was the last one.
bool advance(std::vector<std::size_t>& index, const std::vector<Dimension>& dimensions) {
  for (std::size_t d = dimensions.size(); d-- > 0;) {
    if (++index[d] < dimensions[d].length()) return true;
    index[d] = 0;
  }
  return false;
}

}  // namespace

const Preset& Models::get(const std::string& name, const Where& where) {
  const auto known = known_.find(name);
  if (known != known_.end()) return known->second;
  return known_.emplace(name, load_preset(name, where, folders_, base_)).first->second;
}

std::vector<Point> expand(const Settings& settings, const std::vector<Dimension>& dimensions,
                          const std::vector<SkipRule>& skips, const Where& where, Models& models) {
  Expander expander(settings, dimensions, where, models);
  const std::string unset = unset_variable(settings);
  std::vector<Point> points;
  std::vector<std::size_t> index(dimensions.size(), 0);
  do {
    Point point{.parameters = expander.parameters_at(index), .skip = {}};
    const auto rule = std::ranges::find_if(
        skips, [&](const SkipRule& candidate) { return matches(candidate, dimensions, index); });
    if (rule != skips.end()) {
      point.skip = rule->reason;
    } else if (!unset.empty()) {
      point.skip = format("environment variable {} is not set", unset);
    } else {
      expander.check(point.parameters, index);
    }
    points.push_back(std::move(point));
  } while (advance(index, dimensions));
  return points;
}

}  // namespace bench
