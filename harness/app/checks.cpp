#include "harness/app/checks.h"

#include <algorithm>
#include <iostream>

#include "harness/app/exclusive.h"
#include "harness/format.h"
#include "results/lock.h"

namespace bench {
namespace {

std::string_view word_of(Grade grade) {
  switch (grade) {
    case Grade::fine:
      return "ok";
    case Grade::note:
      return "note";
    case Grade::bad:
      return "BAD";
    case Grade::locked:
      break;
  }
  return "LOCKED";
}

bool any(const std::vector<Check>& checks, Grade grade) {
  return std::ranges::find(checks, grade, &Check::grade) != checks.end();
}

}  // namespace

std::vector<Check> check_locks(const std::vector<std::string>& devices) {
  std::vector<Check> checks;
  for (const std::string& device : devices) {
    const std::string path = lock_path(device);
    const std::string holder = lock_holder(path);
    if (holder.empty()) {
      checks.push_back({Grade::fine, "lock", device + " is free"});
    } else {
      checks.push_back({Grade::locked, "lock", format("{} is held by {}", path, holder)});
    }
  }
  return checks;
}

void require_sound(const std::string& database, const Plan& plan,
                   const std::vector<std::string>& devices, double now_unix_s) {
  std::vector<Check> checks = check_storage(database, &plan, now_unix_s);
  for (const auto& more : {check_host(), check_gpus(devices)}) {
    checks.insert(checks.end(), more.begin(), more.end());
  }
  std::erase_if(checks, [](const Check& c) {  // what is locked is ours
    return c.grade == Grade::locked || c.grade == Grade::fine;
  });
  std::cerr << checks_text(checks);
  std::string bad;
  for (const Check& c : checks) {
    if (c.grade == Grade::bad) bad += (bad.empty() ? "" : "; ") + c.what + ": " + c.says;
  }
  if (!bad.empty()) fail(bad);
}

std::string checks_text(const std::vector<Check>& checks) {
  std::string text;
  for (const Check& c : checks) {
    text += format("{:<6}  {:<8}  {}\n", word_of(c.grade), c.what, c.says);
  }
  return text;
}

Exit exit_of(const std::vector<Check>& checks) {
  if (any(checks, Grade::locked)) return Exit::locked;
  return any(checks, Grade::bad) ? Exit::unjudged : Exit::ok;
}

}  // namespace bench
