#include "runners/guard.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <thread>

#include "harness/error.h"
#include "harness/format.h"
#include "results/json.h"
#include "results/json_writer.h"

namespace bench {
namespace {

constexpr int kSocket = 0;
using Clock = std::chrono::steady_clock;

GuardedProgram decode(const std::string& line) {
  const Json json = Json::parse(line, "guard");
  GuardedProgram program;
  for (const Json& word : json.at("command").items()) program.command.push_back(word.text());
  for (const auto& [name, value] : json.at("environment").members()) {
    program.environment[name] = value.text();
  }
  program.directory = json.at("directory").text();
  program.log = json.at("log").text();
  program.stop_signal = static_cast<int>(json.at("stop_signal").count());
  program.stop_deadline = Seconds(json.at("stop_deadline_s").number());
  return program;
}

void say(const std::string& line) {
  const std::string text = line + "\n";
  [[maybe_unused]] const ssize_t wrote = write(kSocket, text.data(), text.size());
}

std::string read_line() {
  std::string line;
  for (char c = 0; read(kSocket, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

// In the child, up to exec. It leads a session of its own, so that a terminal's signals miss it,
// and dies with the guard.
[[noreturn]] void become(const GuardedProgram& program, pid_t guard) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != guard) _exit(127);
  const int log = open(program.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
  const int none = open("/dev/null", O_RDONLY);
  if (log < 0 || none < 0) _exit(126);
  dup2(none, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  for (const auto& [name, value] : program.environment) setenv(name.c_str(), value.c_str(), 1);
  if (!program.directory.empty() && chdir(program.directory.c_str()) != 0) {
    std::perror(program.directory.c_str());
    _exit(126);
  }
  std::vector<char*> words;
  for (const std::string& word : program.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  signal(SIGPIPE, SIG_DFL);
  execvp(words[0], words.data());
  std::perror(words[0]);
  _exit(127);
}

std::string words_of(int status) {
  if (!WIFSIGNALED(status)) return format("exit {}", WEXITSTATUS(status));
  return format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

// Reaps whoever has ended, adopted ones too; says so of the server itself. False: nobody is left.
bool reap(pid_t server) {
  int status = 0;
  while (true) {
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended == 0) return true;
    if (ended < 0) return errno != ECHILD;
    if (ended == server) say("ended " + words_of(status));
  }
}

// Those that left the server's session are children of the guard once their parents are gone.
void kill_children() {
  std::ifstream file(format("/proc/self/task/{}/children", getpid()));
  for (pid_t child = 0; file >> child;) kill(child, SIGKILL);
}

void stop(pid_t server, const GuardedProgram& program) {
  constexpr std::chrono::milliseconds kLook{20};
  const auto until =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(program.stop_deadline);
  kill(-server, program.stop_signal);
  while (reap(server)) {
    if (Clock::now() > until) {
      kill(-server, SIGKILL);
      kill_children();
    }
    std::this_thread::sleep_for(kLook);
  }
}

}  // namespace

std::string encode(const GuardedProgram& program) {
  JsonWriter out;
  out.begin_object().key("command").begin_array();
  for (const std::string& word : program.command) out.value(word);
  out.end_array().key("environment").begin_object();
  for (const auto& [name, value] : program.environment) out.member(name, value);
  out.end_object()
      .member("directory", program.directory)
      .member("log", program.log)
      .member("stop_signal", program.stop_signal)
      .member("stop_deadline_s", program.stop_deadline.count())
      .end_object();
  return out.take();
}

void serve_guard() {
  setsid();
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const GuardedProgram program = decode(read_line());
  const pid_t guard = getpid();
  const pid_t server = fork();
  if (server < 0) fail(format("fork: {}", std::strerror(errno)));
  if (server == 0) become(program, guard);
  say(format("started {}", server));
  while (true) {
    constexpr int kLookMs = 50;
    pollfd socket{kSocket, POLLIN, 0};
    if (poll(&socket, 1, kLookMs) > 0) {
      std::array<char, 64> ignored{};
      if (read(kSocket, ignored.data(), ignored.size()) <= 0) break;
    }
    reap(server);
  }
  stop(server, program);
}

}  // namespace bench
