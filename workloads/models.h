#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/parameters.h"
#include "workloads/yaml.h"

namespace bench {

// A model's shape, as a file of workloads/models holds it. A value that its public sources do not
// give is absent.
struct Preset {
  std::string name;  // the file's, less `.yaml`
  std::map<std::string_view, ParameterValue> values;
};

// `name` is looked for as NAME.yaml in each folder in turn; a name with a '/' is a path, taken from
// `base` (the configuration's folder) or as it is. Complains at `where` when there is none.
Preset load_preset(const std::string& name, const Where& where,
                   const std::vector<std::string>& folders, const std::string& base);

// The names of all presets in the folders, sorted.
std::vector<std::string> preset_names(const std::vector<std::string>& folders);

}  // namespace bench
