#include "runners/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "harness/error.h"
#include "harness/format.h"

namespace bench {
namespace {

constexpr int kProtocolDescriptor = 3;

struct Pipe {
  int read = -1;
  int write = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail(format("pipe: {}", std::strerror(errno)));
  return {ends[0], ends[1]};
}

// A line the child cannot take must not end us: SIGPIPE is ignored for the write.
void write_all(int descriptor, const std::string& text) {
  const auto old = std::signal(SIGPIPE, SIG_IGN);
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = ::write(descriptor, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) break;  // it died already; read_line() will say so
    done += static_cast<std::size_t>(wrote);
  }
  std::signal(SIGPIPE, old);
}

// Only async-signal-safe calls: this runs between fork and exec.
void prefer_as_oom_victim() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t wrote = ::write(file, "1000", 4);
  close(file);
}

}  // namespace

Process::Process(const std::vector<std::string>& argv, const std::string& input, Input after) {
  const Pipe in = make_pipe();
  const Pipe out = make_pipe();
  const Pipe err = make_pipe();
  start(argv, in.read, out.write, err.write);
  close(in.read);
  close(out.write);
  close(err.write);
  output_ = out.read;
  error_ = err.read;
  fcntl(error_, F_SETFL, O_NONBLOCK);
  input_ = in.write;
  write(input);
  if (after == Input::stays_open) return;
  close(input_);
  input_ = -1;
}

void Process::write(const std::string& text) { write_all(input_, text); }

void Process::start(const std::vector<std::string>& argv, int input_read, int output_write,
                    int error_write) {
  std::vector<char*> words;
  words.reserve(argv.size() + 1);
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) fail(format("fork: {}", std::strerror(errno)));
  if (pid_ > 0) {
    setpgid(pid_, pid_);
    return;
  }
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  prefer_as_oom_victim();
  // Duplicate upwards first: a pipe end may itself be descriptor 0 to 3.
  const int in = fcntl(input_read, F_DUPFD, 10);
  const int out = fcntl(output_write, F_DUPFD, 10);
  const int err = fcntl(error_write, F_DUPFD, 10);
  dup2(in, STDIN_FILENO);
  dup2(err, STDERR_FILENO);
  dup2(err, STDOUT_FILENO);
  dup2(out, kProtocolDescriptor);
  close(in);
  close(out);
  close(err);
  execv(words[0], words.data());
  std::perror(words[0]);
  _exit(127);
}

Process::~Process() {
  kill();
  wait();
  if (input_ >= 0) close(input_);
  close(output_);
  if (error_ >= 0) close(error_);
}

bool Process::take_line(std::string& line) {
  const std::size_t end = pending_.find('\n');
  if (end == std::string::npos) return false;
  line = pending_.substr(0, end);
  pending_.erase(0, end + 1);
  return true;
}

void Process::drain_errors() {
  constexpr std::size_t kKeep = 4096;
  std::array<char, 4096> buffer{};
  while (error_ >= 0) {
    const ssize_t got = read(error_, buffer.data(), buffer.size());
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) {
      close(error_);
      error_ = -1;  // poll() ignores it from here on
      return;
    }
    error_tail_.append(buffer.data(), static_cast<std::size_t>(got));
    if (error_tail_.size() > kKeep) error_tail_.erase(0, error_tail_.size() - kKeep);
  }
}

Process::Read Process::read_line(std::string& line, Seconds limit) {
  using Steady = std::chrono::steady_clock;
  const auto until = Steady::now() + std::chrono::duration_cast<Steady::duration>(limit);
  std::array<char, 65536> buffer{};
  while (!take_line(line)) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now());
    std::array<pollfd, 2> wanted{pollfd{output_, POLLIN, 0}, pollfd{error_, POLLIN, 0}};
    const int ready =
        poll(wanted.data(), wanted.size(), static_cast<int>(std::max<long>(0, left.count())));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return Read::silent;
    if (wanted[1].revents != 0) drain_errors();
    if (wanted[0].revents == 0) continue;
    const ssize_t got = read(output_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Read::end;
    pending_.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return Read::line;
}

void Process::kill() {
  if (pid_ > 0 && !status_) ::kill(-pid_, SIGKILL);
}

std::string Process::wait() {
  if (!status_) {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
    ::kill(-pid_, SIGKILL);  // whatever it started
    drain_errors();
    status_ = status;
  }
  if (WIFSIGNALED(*status_)) {
    return format("signal {} ({})", WTERMSIG(*status_), strsignal(WTERMSIG(*status_)));
  }
  if (WEXITSTATUS(*status_) != 0) return format("exit {}", WEXITSTATUS(*status_));
  return "";
}

}  // namespace bench
