#include "runners/http/plain_loop.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/format.h"
#include "runners/http/arrival_clock.h"
#include "runners/http/clock.h"
#include "runners/http/curl_handle.h"
#include "runners/http/event_wait.h"

namespace bench {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

// The addresses of the endpoint's host, in the system's order; none: `words` says why.
std::vector<Address> resolve(const UrlParts& url, std::string& words) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(url.host.c_str(), url.port.c_str(), &hints, &found);
  if (code != 0) words = format("{}: {}", url.host, gai_strerror(code));
  std::vector<Address> addresses;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    Address& address = addresses.emplace_back();
    std::memcpy(&address.bytes, at->ai_addr, at->ai_addrlen);
    address.size = at->ai_addrlen;
  }
  if (found != nullptr) freeaddrinfo(found);
  return addresses;
}

// Non-blocking and without Nagle's delay; reads bring the kernel's receive time.
int open_socket(int family) {
  const int socket = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  if (socket < 0) return socket;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  return socket;
}

// A connection, and the transfer that is on it, if any.
struct PlainConnection {
  int socket = -1;
  std::size_t address = 0;  // which of the host's
  bool connected = false;
  bool served = false;  // a request before this one
  Seconds begun{0};     // of connecting
  Seconds connect{0};
  Seconds idle_since{0};
  TransferHandler* handler = nullptr;
  std::string head;  // of the request
  std::string_view body;
  std::size_t written = 0;  // of both
  bool waits_for_room = false;
  ResponseParser response;
  Seconds last{0};  // sent, or the last bytes that came

  [[nodiscard]] std::size_t size() const { return head.size() + body.size(); }
};

// Hands a response on with the time of its bytes.
struct Stamped : ResponseHandler {
  TransferHandler& handler;
  Seconds arrival;
  Stamped(TransferHandler& to, Seconds time) : handler(to), arrival(time) {}
  void on_head(const ResponseHead& head) override { handler.on_head(arrival, head); }
  bool on_body(std::string_view bytes) override { return handler.on_bytes(arrival, bytes); }
};

class PlainLoop : public HttpLoop {
 public:
  PlainLoop(const HttpEndpoint& endpoint, std::size_t streams)
      : endpoint_(endpoint), url_(split_url(endpoint.url)), addresses_(resolve(url_, unresolved_)) {
    active_.reserve(streams);
  }
  ~PlainLoop() override {
    for (const auto& connection : connections_) {
      if (connection) close(connection->socket);
    }
  }
  PlainLoop(const PlainLoop&) = delete;
  PlainLoop& operator=(const PlainLoop&) = delete;

  void start(std::string_view path, std::string_view body, TransferHandler& handler) override {
    std::string head = head_of(path, body.size());
    if (PlainConnection* const kept = take_idle()) {
      begin(*kept, handler, std::move(head), body);
      send(*kept);
    } else {
      open(handler, std::move(head), body, working_address_);
    }
  }

  void abort(const TransferHandler& handler) override {
    const auto found = active_.find(&handler);
    if (found == active_.end()) return;
    drop(*found->second);
    active_.erase(found);
  }

  void poll(Seconds until) override {
    if (!connecting_.empty()) {
      until = std::min(until, connecting_.front().begun + endpoint_.connect_timeout);
    }
    const std::span<const epoll_event> events = wait_.wait(ended_.empty() ? until : Seconds{0});
    const Seconds ready = monotonic_now();
    clock_.compare_clocks();
    for (const epoll_event& event : events) {
      // Each socket is reported once, and only its own event closes it.
      serve(*connections_[static_cast<std::size_t>(event.data.fd)], event.events, ready);
    }
    end_slow_connects(ready);
    for (const Ended& ended : std::exchange(ended_, {})) ended.handler->on_end(ended.at, ended.end);
  }

  [[nodiscard]] std::size_t active() const override { return active_.size() + ended_.size(); }

 private:
  struct Ended {
    TransferHandler* handler;
    Seconds at;
    TransferEnd end;
  };
  struct Connecting {
    Seconds begun;
    const TransferHandler* handler;
  };

  [[nodiscard]] std::string head_of(std::string_view path, std::size_t body_bytes) const {
    const std::string key =
        endpoint_.key.empty() ? "" : "Authorization: Bearer " + endpoint_.key + "\r\n";
    return format(
        "POST {}{} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: */*\r\n{}"
        "Content-Length: {}\r\n\r\n",
        url_.path, path, url_.authority, key, body_bytes);
  }

  PlainConnection* take_idle() {
    const Seconds oldest = monotonic_now() - endpoint_.idle_limit;
    while (!idle_.empty()) {
      PlainConnection* const connection = idle_.back();
      idle_.pop_back();
      if (connection->idle_since >= oldest) return connection;
      drop(*connection);
    }
    return nullptr;
  }

  void begin(PlainConnection& connection, TransferHandler& handler, std::string head,
             std::string_view body) {
    connection.handler = &handler;
    connection.head = std::move(head);
    connection.body = body;
    connection.written = 0;
    connection.response = {};
    active_[&handler] = &connection;
  }

  // A new connection to the first address from that one on that does not fail at once.
  void open(TransferHandler& handler, std::string head, std::string_view body,
            std::size_t address) {
    std::string words = unresolved_;
    for (; address < addresses_.size(); ++address) {
      const Address& to = addresses_[address];
      const int socket = open_socket(to.bytes.ss_family);
      const Seconds begun = monotonic_now();
      if (socket >= 0 &&
          (connect(socket, reinterpret_cast<const sockaddr*>(&to.bytes), to.size) == 0 ||
           errno == EINPROGRESS)) {
        PlainConnection& connection = add(socket);
        connection.address = address;
        connection.begun = begun;
        connecting_.push_back({begun, &handler});
        begin(connection, handler, std::move(head), body);
        wait_.watch(EPOLL_CTL_ADD, socket, EPOLLIN | EPOLLOUT);
        return;
      }
      words = std::strerror(errno);
      if (socket >= 0) close(socket);
    }
    active_.erase(&handler);
    working_address_ = 0;
    ended_.push_back({&handler, monotonic_now(), {.failure = Failure::refused, .words = words}});
  }

  PlainConnection& add(int socket) {
    const auto place = static_cast<std::size_t>(socket);
    if (connections_.size() <= place) connections_.resize(place + 1);
    connections_[place] = std::make_unique<PlainConnection>();
    connections_[place]->socket = socket;
    return *connections_[place];
  }

  void drop(PlainConnection& connection) {
    const int socket = connection.socket;
    std::erase(idle_, &connection);
    connections_[static_cast<std::size_t>(socket)].reset();
    close(socket);
  }

  void serve(PlainConnection& connection, std::uint32_t events, Seconds ready) {
    if (!connection.connected) return finish_connect(connection);
    if ((events & EPOLLOUT) != 0) send(connection);
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) read(connection, ready);
  }

  void finish_connect(PlainConnection& connection) {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(connection.socket, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error == 0) {
      connection.connected = true;
      working_address_ = connection.address;
      connection.connect = monotonic_now() - connection.begun;
      connection.waits_for_room = true;
      return send(connection);
    }
    if (connection.address + 1 < addresses_.size())
      return replace(connection, connection.address + 1);
    finish(connection, monotonic_now(), Failure::refused, std::strerror(error));
  }

  // The same request on a new connection.
  void replace(PlainConnection& connection, std::size_t address) {
    TransferHandler& handler = *connection.handler;
    const std::string_view body = connection.body;
    std::string head = std::move(connection.head);
    drop(connection);
    open(handler, std::move(head), body, address);
  }

  void end_slow_connects(Seconds now) {
    while (!connecting_.empty() && connecting_.front().begun + endpoint_.connect_timeout <= now) {
      const auto [begun, handler] = connecting_.front();
      connecting_.pop_front();
      const auto found = active_.find(handler);
      if (found == active_.end() || found->second->connected || found->second->begun != begun) {
        continue;
      }
      finish(*found->second, now, Failure::timeout, "no connection within the time for it");
    }
  }

  // Writes as much as there is room for.
  void send(PlainConnection& connection) {
    if (connection.written == 0) {
      connection.last = monotonic_now();
      connection.handler->on_sent(connection.last);
    }
    while (connection.written < connection.size()) {
      const std::size_t in_head = std::min(connection.written, connection.head.size());
      const std::string_view body = connection.body.substr(connection.written - in_head);
      std::array<iovec, 2> parts = {
          iovec{connection.head.data() + in_head, connection.head.size() - in_head},
          iovec{const_cast<char*>(body.data()), body.size()}};
      msghdr message{};
      message.msg_iov = parts.data();
      message.msg_iovlen = parts.size();
      const ssize_t wrote = sendmsg(connection.socket, &message, MSG_NOSIGNAL);
      if (wrote < 0 && errno == EAGAIN) return watch_for_room(connection, true);
      // A broken connection is readable: what it still holds, an answer or an error, tells why.
      if (wrote < 0) break;
      connection.written += static_cast<std::size_t>(wrote);
    }
    watch_for_room(connection, false);
  }

  void watch_for_room(PlainConnection& connection, bool on) {
    if (std::exchange(connection.waits_for_room, on) == on) return;
    wait_.watch(EPOLL_CTL_MOD, connection.socket, on ? EPOLLIN | EPOLLOUT : EPOLLIN);
  }

  void read(PlainConnection& connection, Seconds ready) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(timespec))> control{};
    iovec part{buffer_.data(), buffer_.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t got = recvmsg(connection.socket, &message, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (connection.handler == nullptr) return drop(connection);  // idle: closed, or not ours
    if (got <= 0) return closed(connection, ready, got < 0 ? errno : 0);
    connection.last = arrival_of(message, connection.last, ready);
    Stamped handler(*connection.handler, connection.last);
    const std::string_view bytes(buffer_.data(), static_cast<std::size_t>(got));
    switch (connection.response.feed(bytes, handler)) {
      case ResponseParser::State::reading:
        return;
      case ResponseParser::State::done:
        return finish(connection, connection.last, Failure::none, "");
      case ResponseParser::State::broken:
        return finish(connection, connection.last, Failure::protocol, connection.response.error());
    }
  }

  [[nodiscard]] Seconds arrival_of(msghdr& message, Seconds earlier, Seconds ready) const {
    const cmsghdr* const header = CMSG_FIRSTHDR(&message);
    if (header == nullptr || header->cmsg_type != SCM_TIMESTAMPNS) return ready;
    timespec stamp{};
    std::memcpy(&stamp, CMSG_DATA(header), sizeof stamp);
    return clock_.arrival(stamp, earlier, ready);
  }

  void closed(PlainConnection& connection, Seconds now, int error) {
    // The server closed a kept connection while the request was on its way: that is no answer.
    if (connection.served && !connection.response.begun()) {
      return replace(connection, connection.address);
    }
    if (error == 0 && connection.response.in_body()) {
      const bool done = connection.response.close() == ResponseParser::State::done;
      return finish(connection, now, done ? Failure::none : Failure::truncated,
                    connection.response.error());
    }
    finish(
        connection, now, Failure::reset,
        error == 0 ? "the server closed the connection without an answer" : std::strerror(error));
  }

  void finish(PlainConnection& connection, Seconds now, Failure failure, std::string words) {
    TransferEnd end{.failure = failure, .words = std::move(words), .reused = connection.served};
    if (!connection.served) end.connect = connection.connect;
    TransferHandler* const handler = std::exchange(connection.handler, nullptr);
    active_.erase(handler);
    ended_.push_back({handler, now, std::move(end)});
    const bool kept = failure == Failure::none && connection.response.keeps_connection() &&
                      connection.written == connection.size();
    if (!kept) return drop(connection);
    connection.served = true;
    connection.idle_since = monotonic_now();
    idle_.push_back(&connection);
  }

  HttpEndpoint endpoint_;
  UrlParts url_;
  std::string unresolved_;  // why there are no addresses
  std::vector<Address> addresses_;
  std::size_t working_address_ = 0;
  EventWait wait_;
  ArrivalClock clock_;
  std::vector<std::unique_ptr<PlainConnection>> connections_;  // by socket
  std::unordered_map<const TransferHandler*, PlainConnection*> active_;
  std::vector<PlainConnection*> idle_;  // the one used last at the end
  std::deque<Connecting> connecting_;   // in order; some are done
  std::vector<Ended> ended_;
  std::array<char, kReadBytes> buffer_{};
};

}  // namespace

std::unique_ptr<HttpLoop> make_plain_loop(const HttpEndpoint& endpoint, std::size_t streams) {
  return std::make_unique<PlainLoop>(endpoint, streams);
}

}  // namespace bench
