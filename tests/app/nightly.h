#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/app/bench_program.h"

namespace bench {

// Two scripted cases, told to a file, a command and by mail; more receivers may be added behind.
inline constexpr const char* kTonight = R"(
name: tonight
defaults: {runner: fake, replicates: 8, sampling: {min_samples: 20, max_samples: 20}}
workloads:
  decode:
    variants: [native_fp8]
    sweep: {context: [4k, 16k]}
    script: native_fp8 = 1us*context@attention ~0.5%
gates: [{workload: decode, metric: tpot_s, min_effect: 1%}]
alerts:
  - {file: told.txt}
  - {command: [sh, -c, "cat >told.json"], body: json}
  - {mail: "${TEAM}"}
)";

class Nightly : public testing::Test {
 protected:
  Nightly() {
    bench.write("tonight.yaml", kTonight);
    bench.write("sendmail", "#!/bin/sh\ncat >told.mail; echo \"$@\" >>told.mail\n");
    std::filesystem::permissions(bench.folder() / "sendmail", std::filesystem::perms::owner_all);
  }
  [[nodiscard]] Outcome nightly(const std::string& arguments,
                                const std::string& before = "") const {
    return bench.shell(before + "PATH=$PWD:$PATH TEAM=team@example.org $BENCH nightly " +
                       arguments);
  }
  BenchProgram bench;
};

}  // namespace bench
