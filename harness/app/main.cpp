// bench: the table of contents. Each command is a file of this folder.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "harness/app/command.h"
#include "harness/format.h"
#include "harness/suggest.h"

namespace bench {
namespace {

std::string overview() {
  std::string text = "bench measures LLM decode throughput and says what changed.\n\nCommands:\n";
  for (const Command& command : Registry<Command>::all()) {
    if (!command.hidden) text += format("  {:<10} {}\n", command.name, command.summary);
  }
  return text + "\n`bench COMMAND --help` has the flags and an example of each.\n";
}

// A file opened while one of the standard streams is closed would take its number, and what is
// printed would end up in that file.
void open_standard_streams() {
  int descriptor = 0;
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) descriptor = open("/dev/null", O_RDWR);
  if (descriptor > STDERR_FILENO) close(descriptor);
}

// What could not be printed (a full disk) must not look like a success.
Exit printed(Exit exit) {
  std::cout.flush();
  if (!std::cout) fail("bench: standard output could not be written");
  return exit;
}

Exit dispatch(std::vector<std::string> words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    std::cout << overview();
    return words.empty() ? Exit::usage : Exit::ok;
  }
  if (words[0] == "--version") words[0] = "version";
  const Command* command = Registry<Command>::find(words[0]);
  if (command == nullptr) {
    std::vector<std::string> known;
    for (const Command& c : Registry<Command>::all()) known.push_back(c.name);
    fail_usage(format("bench: no command '{}'{}", words[0], suggestion(words[0], known)));
  }
  words.erase(words.begin());
  const auto arguments = parse_arguments(*command, words);
  return arguments ? command->run(*arguments) : Exit::ok;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  try {
    bench::open_standard_streams();
    std::signal(SIGXFSZ, SIG_IGN);  // a file at its size limit is an error like a full disk
    return static_cast<int>(bench::printed(bench::dispatch({argv + 1, argv + argc})));
  } catch (const bench::Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.exit());
  } catch (const std::exception& error) {
    std::cerr << "bench: " << error.what() << '\n';
    return static_cast<int>(bench::Exit::unjudged);
  }
}
