#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/sampling.h"
#include "workloads/parameters.h"
#include "workloads/variables.h"
#include "workloads/yaml.h"

namespace bench {

// A parameter's value, or the variable it waits for.
struct Assignment {
  ParameterValue value;
  Where where;
  std::string unset;  // a variable without a value: `value` is then empty
};

// What a workload says beside its axes; `defaults:` is where it begins.
struct Settings {
  std::string runner;
  std::vector<std::string> variants;
  std::string baseline;
  Where runner_where, variants_where, baseline_where;
  std::int64_t replicates = 3;
  Sampling sampling;
  double deadline_s = 600;
  std::map<std::string_view, Assignment> parameters;  // by name
};

// Reads the settings and parameters of a workload, or of `defaults:`, over what `settings` holds.
// Keys of the axes (sweep, zip, skip) are passed over when `axes_allowed`.
void read_settings(const Yaml& map, bool axes_allowed, const Environment& environment,
                   Settings& settings);

// The value of one parameter. Variables are expanded in text that is no part of a case's identity
// (endpoints, files) and refused elsewhere: a case is the same on every machine.
Assignment read_parameter(const Yaml& node, const ParameterInfo& info,
                          const Environment& environment);

std::vector<std::string> plan_keys();      // of a configuration
std::vector<std::string> workload_keys();  // of a workload: settings, axes and parameters

}  // namespace bench
