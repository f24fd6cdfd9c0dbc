// bench: the table of contents. Each command is a file of this folder.

#include <algorithm>
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

Exit dispatch(std::vector<std::string> words) {
  if (words.empty() || words[0] == "--help" || words[0] == "help") {
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
    return static_cast<int>(bench::dispatch({argv + 1, argv + argc}));
  } catch (const bench::Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.exit());
  } catch (const std::exception& error) {
    std::cerr << "bench: " << error.what() << '\n';
    return static_cast<int>(bench::Exit::unjudged);
  }
}
