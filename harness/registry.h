#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/error.h"

namespace bench {

// A list that fills itself before main(): a file that wants to be found ends in
//   const Register<KernelVariant> kRegistered{{.name = "native_fp8", ...}};
// Entry needs a std::string key() const. Static initialisation order is unspecified, so entries
// are sorted, and a key used twice is reported when the list is first asked for (a throw during
// static initialisation would end the program before main's catch).
template <typename Entry>
class Registry {
 public:
  static const std::vector<Entry>& all() {
    static const std::vector<Entry> kSorted = checked(pending());
    return kSorted;
  }

  // nullptr when there is none of that key.
  static const Entry* find(const std::string& key) {
    const auto& entries = all();
    const auto it = std::ranges::find_if(entries, [&](const Entry& e) { return e.key() == key; });
    return it == entries.end() ? nullptr : &*it;
  }

  static void add(Entry entry) { pending().push_back(std::move(entry)); }

 private:
  static std::vector<Entry>& pending() {
    static std::vector<Entry> entries;
    return entries;
  }

  static std::vector<Entry> checked(std::vector<Entry> entries) {
    std::ranges::sort(entries, {}, [](const Entry& e) { return e.key(); });
    const auto twice =
        std::ranges::adjacent_find(entries, {}, [](const Entry& e) { return e.key(); });
    if (twice != entries.end()) fail("registered twice: " + twice->key());
    return entries;
  }
};

template <typename Entry>
struct Register {
  explicit Register(Entry entry) { Registry<Entry>::add(std::move(entry)); }
};

}  // namespace bench
