#include "runners/managed_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "harness/error.h"
#include "harness/format.h"
#include "kernels/gpus.h"
#include "runners/guard.h"
#include "runners/http/http_fetch.h"
#include "runners/listeners.h"
#include "workloads/variables.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLook{100};

std::string expanded(const std::string& text) {
  const Expanded result = expand_variables(text, [](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  });
  if (!result.unset.empty()) {
    fail_usage(format("environment variable {} is not set, and a server needs it", result.unset));
  }
  return result.text;
}

Server with_values(Server server) {
  for (std::string& word : server.command) word = expanded(word);
  for (auto& [name, value] : server.environment) value = expanded(value);
  server.directory = expanded(server.directory);
  server.ready = expanded(server.ready);
  return server;
}

int signal_of(const std::string& name) {
  if (name == "INT") return SIGINT;
  if (name == "HUP") return SIGHUP;
  if (name == "QUIT") return SIGQUIT;
  return name == "KILL" ? SIGKILL : SIGTERM;
}

std::map<std::string, double> gpus_in_use() {
  std::string ignored;
  std::map<std::string, double> use;
  for (const GpuStatus& gpu : list_gpus(ignored)) use[gpu.uuid] = gpu.used_bytes;
  return use;
}

bool answers(const std::string& url) {
  return HttpFetch({.url = url, .connect_timeout = Seconds(2)}).get("", Seconds(5)).status == 200;
}

}  // namespace

ManagedServer::ManagedServer(const Server& server, const std::vector<std::string>& guard,
                             std::string log, const std::atomic<bool>& stop)
    : server_(with_values(server)), log_(std::move(log)), gpus_before_(gpus_in_use()) {
  require_nobody();
  start(guard);
  try {
    wait_until_ready(stop);
    prove();
  } catch (...) {
    close_guard();
    throw;
  }
}

ManagedServer::~ManagedServer() { close_guard(); }

void ManagedServer::require_nobody() const {
  const int port = port_of(server_.ready);
  const std::vector<pid_t> there = listeners(port);
  if (!there.empty()) {
    fail(format("server '{}': port {} is taken by {} (process {}): end it first", server_.name,
                port, process_name(there.front()), there.front()));
  }
  if (answers(server_.ready)) {
    fail(
        format("server '{}': {} is answered already, by a process that cannot be seen (another "
               "container?)",
               server_.name, server_.ready));
  }
}

void ManagedServer::start(const std::vector<std::string>& guard) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    fail(format("socketpair: {}", std::strerror(errno)));
  }
  std::vector<char*> words;
  words.reserve(guard.size() + 1);
  for (const std::string& word : guard) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  guard_ = fork();
  if (guard_ < 0) fail(format("fork: {}", std::strerror(errno)));
  if (guard_ == 0) {
    dup2(ends[1], STDIN_FILENO);
    execv(words[0], words.data());
    _exit(127);
  }
  close(ends[1]);
  socket_ = ends[0];
  const std::string line = encode({.command = server_.command,
                                   .environment = server_.environment,
                                   .directory = server_.directory,
                                   .log = log_,
                                   .stop_signal = signal_of(server_.stop_signal),
                                   .stop_deadline = Seconds(server_.stop_deadline_s)}) +
                           "\n";
  const bool sent = ::send(socket_, line.data(), line.size(), MSG_NOSIGNAL) == std::ssize(line);
  constexpr int kStartMs = 10'000;
  if (!sent || !read_line(kStartMs).starts_with("started")) {
    close_guard();
    fail(format("server '{}' could not be started", server_.name));
  }
}

std::string ManagedServer::read_line(int limit_ms) {
  while (pending_.find('\n') == std::string::npos) {
    pollfd ready{socket_, POLLIN, 0};
    if (poll(&ready, 1, limit_ms) <= 0) return {};
    std::array<char, 256> buffer{};
    const ssize_t got = read(socket_, buffer.data(), buffer.size());
    if (got <= 0) return {};
    pending_.append(buffer.data(), static_cast<std::size_t>(got));
  }
  std::string line = pending_.substr(0, pending_.find('\n'));
  pending_.erase(0, line.size() + 1);
  return line;
}

std::string ManagedServer::died() {
  if (ended_.empty() && socket_ >= 0) {
    const std::string line = read_line(0);
    if (line.starts_with("ended ")) ended_ = line.substr(6);
  }
  return ended_.empty() ? std::string()
                        : with_log(format("server '{}' ended ({})", server_.name, ended_));
}

void ManagedServer::wait_until_ready(const std::atomic<bool>& stop) {
  const auto until =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(server_.deadline_s));
  while (true) {
    if (const std::string why = died(); !why.empty()) fail(why);
    if (stop) fail("interrupted");
    if (answers(server_.ready)) return;
    if (Clock::now() > until) {
      fail(with_log(format("server '{}' was not ready within {} ({} did not answer 200)",
                           server_.name, format_seconds(Seconds(server_.deadline_s)),
                           server_.ready)));
    }
    std::this_thread::sleep_for(kLook);
  }
}

// The port was free before, so a listener that cannot be seen is the server's own container.
void ManagedServer::prove() const {
  for (const pid_t process : listeners(port_of(server_.ready))) {
    const std::string name = process_name(process);
    if (descends_from(process, guard_) || name == "docker-proxy") continue;
    fail(format("server '{}': {} is answered by {} (process {}), which bench did not start",
                server_.name, server_.ready, name, process));
  }
}

void ManagedServer::close_guard() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
  if (guard_ <= 0) return;
  while (waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) continue;
  guard_ = -1;
}

void ManagedServer::stop() {
  close_guard();
  require_free_gpus();
}

// A driver frees what a process held a moment after it is gone.
void ManagedServer::require_free_gpus() const {
  constexpr double kSlack = 512e6;
  constexpr int kLooks = 100;
  std::string held;
  for (int look = 0; look < kLooks; ++look) {
    held.clear();
    for (const auto& [uuid, bytes] : gpus_in_use()) {
      const auto before = gpus_before_.find(uuid);
      if (before == gpus_before_.end() || bytes <= before->second + kSlack) continue;
      held =
          format("{} more of {} is in use than before", format_bytes(bytes - before->second), uuid);
    }
    if (held.empty()) return;
    std::this_thread::sleep_for(kLook);
  }
  fail(format("server '{}' is stopped, but {}", server_.name, held));
}

std::string ManagedServer::with_log(const std::string& what) const {
  constexpr std::size_t kLines = 8;
  constexpr std::size_t kBytes = 1200;
  std::ifstream file(log_);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (lines.size() == kLines) lines.erase(lines.begin());
    lines.push_back(line);
  }
  std::string tail = format("{}", join(lines, "\n"));
  if (tail.size() > kBytes) tail = "..." + tail.substr(tail.size() - kBytes);
  return format("{}; the end of {}:\n{}", what, log_, tail.empty() ? "(empty)" : tail);
}

}  // namespace bench
