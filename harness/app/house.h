#pragma once

#include <filesystem>
#include <string>

#include "results/store.h"
#include "workloads/workload.h"

namespace bench {

// What is beside the database of a nightly run.
std::string site_folder(const Plan& plan, const std::string& database);
std::filesystem::path binaries_folder(const std::string& database);

// The fact of a run that names the program which measured it.
inline constexpr const char* kBinaryFact = "bench_binary";

// After a night: writes the site, thins old samples by `keep:`, removes old programs. False: part
// of it could not be done, which was said on standard error and costs no verdict.
bool keep_house(Store& store, const Plan& plan, const std::string& database, double now_unix_s);

}  // namespace bench
