#include "harness/app/house.h"

#include <exception>
#include <iostream>
#include <set>

#include "harness/app/binaries.h"
#include "harness/app/retention.h"
#include "harness/app/site_of.h"
#include "harness/error.h"

namespace bench {
namespace {

namespace fs = std::filesystem;

// Of the baselines and of the last two weeks.
void keep_binaries(Store& store, const std::string& database, double now_unix_s) {
  constexpr double kKept = 14 * 86400.0;
  auto rows = store.database().prepare(R"sql(
      SELECT DISTINCT f.value FROM facts f JOIN runs r ON r.id = f.run_id
      WHERE f.name = ?1 AND (r.id IN (SELECT run_id FROM baselines) OR r.started_unix_s > ?2))sql");
  std::set<std::string> names;
  for (rows.bind(kBinaryFact, now_unix_s - kKept); rows.step();) names.insert(rows.text(0));
  Binaries(binaries_folder(database)).keep_only(names);
}

}  // namespace

std::string site_folder(const Plan& plan, const std::string& database) {
  if (!plan.site.folder.empty()) return fs::absolute(plan.site.folder).string();
  return (fs::absolute(database).parent_path() / "site").string();
}

fs::path binaries_folder(const std::string& database) {
  return fs::absolute(database).parent_path() / "binaries";
}

bool keep_house(Store& store, const Plan& plan, const std::string& database, double now_unix_s) {
  const Retention retention = retention_of(plan);
  try {
    write_site(store, {.folder = site_folder(plan, database), .keep = retention.site});
    if (retention.rule) prune(store, *retention.rule, now_unix_s);
    keep_binaries(store, database, now_unix_s);
    return true;
  } catch (const std::exception& error) {  // a full disk, no memory: nobody need be kept waiting
    std::cerr << error.what() << '\n';
    return false;
  }
}

}  // namespace bench
