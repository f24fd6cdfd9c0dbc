#include "harness/app/checks.h"

#include <algorithm>

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
