#include "runners/guard.h"

#include "harness/app/command.h"

namespace bench {
namespace {

const Register<Command> kGuardCommand{{
    .name = "guard",
    .summary = "keeps a server under test, for `bench run` and `bench ab`",
    .positionals = "",
    .flags = {},
    .example = "",
    .hidden = true,
    .run =
        [](const Arguments&) {
          serve_guard();
          return Exit::ok;
        },
}};

}  // namespace
}  // namespace bench
