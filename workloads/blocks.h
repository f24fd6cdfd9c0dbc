#pragma once

#include <map>
#include <string>
#include <vector>

#include "workloads/workload.h"
#include "workloads/yaml.h"

namespace bench {

// The parts of a configuration beside its workloads. Each complains of what it cannot mean.
std::vector<Server> read_servers(const Yaml& servers);

// `metrics`: those that exist; empty: not checked.
std::vector<Gate> read_gates(const Yaml& gates, const std::vector<Workload>& workloads,
                             const std::vector<std::string>& metrics);

Server read_server(const YamlEntry& entry);
std::vector<Receiver> read_receivers(const Yaml& alerts);
SitePlace read_site(const Yaml& site);
std::map<std::string, std::string> read_keep(const Yaml& keep);

}  // namespace bench
