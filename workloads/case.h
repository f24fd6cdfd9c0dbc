#pragma once

#include <string>
#include <vector>

#include "workloads/parameters.h"

namespace bench {

// One point of a workload measured with one variant.
struct Case {
  std::string runner;   // "kernel", "http", "fake"
  std::string variant;  // "native_fp8"; for http the name of the server
  Parameters parameters;

  bool operator==(const Case&) const = default;
};

// "runner=kernel;variant=native_fp8;context=4096;..." : the identity in words. Names in the order
// of parameter_table(); a parameter at its neutral (default-constructed) value is left out, so a
// parameter added later does not change the identity of old cases.
std::string canonical(const Case& c);

// 16 hex digits: FNV-1a 64 of canonical(). Equal in every run, on every machine. The store keeps
// the canonical text beside it, so a collision is an error and not a mix-up.
std::string case_id(const Case& c);

// case_id() of one case after another: of equal neighbours, as replicates are, it is made once.
class CaseIds {
 public:
  const std::string& of(const Case& c);  // until the next call

 private:
  Case last_{};
  std::string id_{};  // empty: nothing was asked yet
};

// The axes of a workload at this point, for people: "context 4k, concurrency 8".
std::string label(const Parameters& parameters, const std::vector<std::string>& axes);

}  // namespace bench
