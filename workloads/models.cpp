#include "workloads/models.h"

#include <algorithm>
#include <filesystem>

#include "harness/format.h"
#include "harness/suggest.h"
#include "workloads/keys.h"
#include "workloads/settings.h"

namespace bench {
namespace {

namespace fs = std::filesystem;

bool is_path(const std::string& name) { return name.find('/') != std::string::npos; }

std::vector<fs::path> candidates(const std::string& name, const std::vector<std::string>& folders,
                                 const std::string& base) {
  if (is_path(name)) return {fs::path(base) / name, fs::path(name)};
  std::vector<fs::path> out;
  out.reserve(folders.size());
  for (const auto& folder : folders) out.push_back(fs::path(folder) / (name + ".yaml"));
  return out;
}

[[noreturn]] void complain_of_model(const std::string& name, const Where& where,
                                    const std::vector<std::string>& folders) {
  if (is_path(name)) complain(where, format("model: no file '{}'", name));
  const std::vector<std::string> known = preset_names(folders);
  if (known.empty()) {
    complain(where, format("model: no presets were found (looked in: {})", join(folders, ", ")));
  }
  const std::string hint = suggestion(name, known);
  complain(where, format("no model '{}'{}", name,
                         hint.empty() ? format(" (there are: {})", join(known, ", ")) : hint));
}

}  // namespace

Preset load_preset(const std::string& name, const Where& where,
                   const std::vector<std::string>& folders, const std::string& base) {
  const std::vector<fs::path> paths = candidates(name, folders, base);
  const auto path = std::ranges::find_if(paths, [](const fs::path& p) {
    std::error_code ignored;
    return fs::is_regular_file(p, ignored);
  });
  if (path == paths.end()) complain_of_model(name, where, folders);

  Preset preset{.name = path->stem().string(), .values = {}};
  const Yaml file = read_yaml(read_text_file(path->string()), path->string());
  std::vector<std::string> known;
  for (const auto& info : parameter_table()) {
    if (info.scope == ParameterScope::model && info.name != "model") known.emplace_back(info.name);
  }
  check_keys(file, known, "model");
  for (const auto& [key, key_where, value] : file.entries) {
    const ParameterInfo& info = *find_parameter(key);
    preset.values[info.name] = read_parameter(value, info, nullptr).value;
  }
  return preset;
}

std::vector<std::string> preset_names(const std::vector<std::string>& folders) {
  std::vector<std::string> names;
  for (const auto& folder : folders) {
    std::error_code ignored;
    for (const auto& file : fs::directory_iterator(folder, ignored)) {
      if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
    }
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace bench
