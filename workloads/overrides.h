#pragma once

#include <string>

#include "workloads/yaml.h"

namespace bench {

// Applies one `--set key=value` to a configuration, before it is read. The key is
//   a parameter or a setting, for every workload:    context=8k, concurrency=[1,2], replicates=1
//   that of one workload:                            single_stream.context=8k
//   a path into the file:                            single_stream.sweep.context=[1k,4k]
// One value replaces a parameter's axis by that value; a list makes it an axis. What the value
// means is checked when the configuration is read; complaints then name the --set.
void apply_override(Yaml& document, const std::string& setting);

}  // namespace bench
