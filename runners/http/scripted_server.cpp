#include "runners/http/scripted_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <queue>
#include <thread>
#include <unordered_map>
#include <utility>

#include "harness/error.h"
#include "harness/format.h"
#include "runners/http/clock.h"

namespace bench {
namespace {

constexpr std::string_view kUnpaced = "reno";  // the one that every Linux has

struct Connection {
  int socket = -1;
  std::int64_t number = 0;
  std::string input;
  ScriptedAnswer answer;
  std::size_t step = 0;
  std::size_t written = 0;  // bytes of the step
  Seconds began{0};         // the request was read
  bool waiting_to_write = false;
};

struct Due {
  Seconds at;
  int socket;
  std::int64_t connection;
  bool operator<(const Due& other) const { return at > other.at; }  // earliest on top
};

// Bytes of the request at the front of the input; 0: not whole yet.
std::size_t request_bytes(std::string_view input, std::size_t& head_bytes) {
  const std::size_t end = input.find("\r\n\r\n");
  if (end == std::string_view::npos) return 0;
  head_bytes = end;
  std::string head(input.substr(0, end));
  std::ranges::transform(head, head.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::size_t field = head.find("content-length:");
  const std::size_t length =
      field == std::string::npos ? 0 : std::strtoull(head.c_str() + field + 15, nullptr, 10);
  return input.size() >= end + 4 + length ? end + 4 + length : 0;
}

int listen_on_loopback() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (socket < 0 || bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(socket, SOMAXCONN) != 0) {
    fail(format("scripted server: {}", std::strerror(errno)));
  }
  return socket;
}

}  // namespace

struct ScriptedServer::State {
  Answer answer;
  int listener = -1;
  int epoll = -1;
  int wake = -1;
  int port = 0;
  std::atomic<bool> stopping{false};
  std::atomic<std::int64_t> requests{0};
  std::int64_t accepted = 0;
  std::unordered_map<int, Connection> connections;
  std::priority_queue<Due> due;
  std::vector<ScriptedWrite> log;
  Seconds cpu{0};
  std::thread thread;

  void watch(int socket, std::uint32_t events, int operation) const {
    epoll_event event{};
    event.events = events;
    event.data.fd = socket;
    epoll_ctl(epoll, operation, socket, &event);
  }

  void run() {
    prctl(PR_SET_TIMERSLACK, 1UL);
    prctl(PR_SET_NAME, "scripted");
    while (!stopping) {
      wait_for_events();
      const Seconds now = monotonic_now();
      while (!due.empty() && due.top().at <= now) {
        const Due next = due.top();
        due.pop();
        const auto found = connections.find(next.socket);
        if (found != connections.end() && found->second.number == next.connection) {
          play(found->second);
        }
      }
    }
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    cpu = Seconds(static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9);
  }

  void wait_for_events() {
    const double wait =
        due.empty() ? 1.0 : std::clamp((due.top().at - monotonic_now()).count(), 0.0, 1.0);
    const timespec timeout{wait >= 1 ? 1 : 0, wait >= 1 ? 0 : static_cast<long>(wait * 1e9)};
    std::array<epoll_event, 256> events;  // NOLINT: filled by the kernel
    const int ready =
        epoll_pwait2(epoll, events.data(), static_cast<int>(events.size()), &timeout, nullptr);
    for (int i = 0; i < ready; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (event.data.fd == wake) continue;
      if (event.data.fd == listener) {
        accept_all();
        continue;
      }
      const auto found = connections.find(event.data.fd);
      if (found == connections.end()) continue;
      if ((event.events & EPOLLOUT) != 0 && !play(found->second)) continue;
      if ((event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) read_some(found->second);
    }
  }

  void accept_all() {
    for (int socket = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
         socket >= 0; socket = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) {
      const int on = 1;
      setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      // A machine's default may be BBR, which paces what it sends by what it believes of the path:
      // milliseconds on a loopback that it has seen busy.
      setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, kUnpaced.data(), kUnpaced.size());
      connections[socket] = {.socket = socket, .number = ++accepted, .input = {}, .answer = {}};
      watch(socket, EPOLLIN, EPOLL_CTL_ADD);
    }
  }

  void drop(Connection& connection, bool reset) {
    if (reset) {
      const linger now{1, 0};
      setsockopt(connection.socket, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    const int socket = connection.socket;
    close(socket);
    connections.erase(socket);
  }

  void read_some(Connection& connection) {
    std::array<char, 65536> buffer;  // NOLINT: filled by recv
    const ssize_t got = recv(connection.socket, buffer.data(), buffer.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return drop(connection, false);
    connection.input.append(buffer.data(), static_cast<std::size_t>(got));
    if (!connection.answer.script) next_request(connection);
  }

  bool next_request(Connection& connection) {
    std::size_t head = 0;
    const std::size_t bytes = request_bytes(connection.input, head);
    if (bytes == 0) return true;
    const std::string_view request = std::string_view(connection.input).substr(0, bytes);
    connection.answer = answer(request.substr(0, head), request.substr(head + 4));
    connection.input.erase(0, bytes);
    connection.step = connection.written = 0;
    connection.began = monotonic_now();
    ++requests;
    return play(connection);
  }

  // Writes all that is due. False: the connection is gone.
  bool play(Connection& connection) {
    while (connection.answer.script) {
      const Script& script = *connection.answer.script;
      if (connection.step == script.steps.size()) {
        connection.answer.script.reset();
        return next_request(connection);
      }
      const ScriptStep& step = script.steps[connection.step];
      const Seconds at = connection.began + step.at;
      const Seconds now = monotonic_now();
      if (at > now) {
        due.push({at, connection.socket, connection.number});
        return true;
      }
      if (connection.written == 0 && connection.answer.tag >= 0) {
        log.push_back({connection.answer.tag, static_cast<std::int32_t>(connection.step), at, now});
      }
      const Wrote wrote = write_step(connection, step, script.write_bytes);
      if (wrote != Wrote::all) return wrote == Wrote::some;
      if (step.then != ScriptStep::Then::go_on) {
        drop(connection, step.then == ScriptStep::Then::reset);
        return false;
      }
      ++connection.step;
      connection.written = 0;
    }
    return true;
  }

  enum class Wrote { all, some, gone };  // some: the rest waits for room; gone: the connection

  Wrote write_step(Connection& connection, const ScriptStep& step, std::size_t most) {
    while (connection.written < step.bytes.size()) {
      std::string_view rest = std::string_view(step.bytes).substr(connection.written);
      if (most > 0) rest = rest.substr(0, most);
      const ssize_t wrote = send(connection.socket, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (wrote < 0 && errno == EAGAIN) {
        connection.waiting_to_write = true;
        watch(connection.socket, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
        return Wrote::some;
      }
      if (wrote < 0) {
        drop(connection, false);
        return Wrote::gone;
      }
      connection.written += static_cast<std::size_t>(wrote);
    }
    if (std::exchange(connection.waiting_to_write, false)) {
      watch(connection.socket, EPOLLIN, EPOLL_CTL_MOD);
    }
    return Wrote::all;
  }
};

ScriptedServer::ScriptedServer(Answer answer) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.answer = std::move(answer);
  s.listener = listen_on_loopback();
  s.epoll = epoll_create1(EPOLL_CLOEXEC);
  s.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  s.watch(s.listener, EPOLLIN, EPOLL_CTL_ADD);
  s.watch(s.wake, EPOLLIN, EPOLL_CTL_ADD);
  sockaddr_in address{};
  socklen_t size = sizeof address;
  getsockname(s.listener, reinterpret_cast<sockaddr*>(&address), &size);
  s.port = ntohs(address.sin_port);
  s.thread = std::thread([&s] { s.run(); });
}

ScriptedServer::~ScriptedServer() {
  stop();
  for (const auto& [socket, connection] : state_->connections) close(socket);
  close(state_->listener);
  close(state_->epoll);
  close(state_->wake);
}

void ScriptedServer::stop() {
  if (!state_->thread.joinable()) return;
  state_->stopping = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t wrote = ::write(state_->wake, &one, sizeof one);
  state_->thread.join();
}

std::string ScriptedServer::url() const { return format("http://127.0.0.1:{}", state_->port); }
const std::vector<ScriptedWrite>& ScriptedServer::log() const { return state_->log; }
std::int64_t ScriptedServer::requests() const { return state_->requests; }
std::int64_t ScriptedServer::connections() const { return state_->accepted; }
Seconds ScriptedServer::cpu_time() const { return state_->cpu; }

std::string http_head(std::string_view status, std::string_view content_type, std::int64_t length,
                      std::string_view more_headers) {
  const std::string body =
      length < 0 ? "Transfer-Encoding: chunked" : format("Content-Length: {}", length);
  return format("HTTP/1.1 {}\r\nContent-Type: {}\r\n{}\r\n{}\r\n", status, content_type, body,
                more_headers);
}

std::string http_chunk(std::string_view bytes) {
  return format("{:x}\r\n{}\r\n", bytes.size(), bytes);
}

Script paced_stream(Seconds first, Seconds interval, std::int64_t tokens) {
  Script script;
  script.steps.push_back({Seconds(0), http_head("200 OK", "text/event-stream"), {}});
  for (std::int64_t i = 0; i < tokens; ++i) {
    const std::string_view end = i + 1 == tokens ? "\"length\"" : "null";
    const std::string event = format(
        "data: {{\"id\":\"cmpl-0123456789abcdef0123456789abcdef\",\"object\":\"text_completion\","
        "\"created\":1700000000,\"model\":\"glm-5\",\"choices\":[{{\"index\":0,\"text\":\" word\","
        "\"logprobs\":null,\"finish_reason\":{},\"stop_reason\":null}}],\"usage\":{{"
        "\"prompt_tokens\":8,\"total_tokens\":{},\"completion_tokens\":{}}}}}\n\n",
        end, i + 9, i + 1);
    script.steps.push_back({first + interval * static_cast<double>(i), http_chunk(event), {}});
  }
  const Seconds last = script.steps.back().at;
  script.steps.push_back({last, http_chunk("data: [DONE]\n\n") + http_chunk(""), {}});
  return script;
}

}  // namespace bench
