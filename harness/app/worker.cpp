#include "runners/worker.h"

#include "harness/app/command.h"

namespace bench {
namespace {

const Register<Command> kWorkerCommand{{
    .name = "worker",
    .summary = "measures one job, for `bench run`",
    .positionals = "",
    .flags = {},
    .example = "",
    .hidden = true,
    .run =
        [](const Arguments&) {
          serve_job();
          return Exit::ok;
        },
}};

}  // namespace
}  // namespace bench
