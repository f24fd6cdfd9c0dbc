#include "harness/app/alerts.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "harness/error.h"
#include "harness/format.h"
#include "results/base64.h"
#include "results/json_writer.h"
#include "runners/http/http_fetch.h"
#include "runners/process.h"
#include "workloads/variables.h"

namespace bench {
namespace {

constexpr Seconds kPatience{60};

std::string expanded(const std::string& text) {
  const Expanded result = expand_variables(text, [](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  });
  if (!result.unset.empty()) fail(format("environment variable {} is not set", result.unset));
  return result.text;
}

std::string body_of(const Receiver& receiver, const Alert& message) {
  if (receiver.body == "text") return message.text;
  if (receiver.body == "json") return message.json;
  JsonWriter out;  // Slack's form, which Mattermost and others take too
  out.begin_object().member("text", message.text).end_object();
  return out.take();
}

void run_program(const std::vector<std::string>& words, const std::string& input) {
  Process process(words, input);
  std::string line;
  Process::Read read = Process::Read::line;
  while (read == Process::Read::line) read = process.read_line(line, kPatience);
  if (read == Process::Read::silent) fail(format("no end within {}", format_seconds(kPatience)));
  const std::string how = process.wait();
  if (how.empty()) return;
  const std::string& words_of_error = process.error_tail();
  fail(how + (words_of_error.empty() ? "" : ": " + words_of_error));
}

// env finds the program by PATH; sendmail is where only administrators look.
void run_command(const Receiver& receiver, const Alert& message) {
  std::vector<std::string> words{"/usr/bin/env"};
  for (const std::string& word : receiver.words) words.push_back(expanded(word));
  run_program(words, body_of(receiver, message));
}

// RFC 2047: what is not ASCII stands in encoded words, cut between characters.
std::string header_text(const std::string& text) {
  constexpr std::size_t kMost = 42;  // bytes, so that a word has 75 characters at most
  if (std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; })) return text;
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = std::min(begin + kMost, text.size());
    const auto is_inside = [&] { return end < text.size() && (text[end] & 0xC0) == 0x80; };
    while (end > begin + 1 && is_inside()) --end;
    const std::string part = text.substr(begin, end - begin);
    out += format("{}=?utf-8?B?{}?=", out.empty() ? "" : "\n ", to_base64(part));
    begin = end;
  }
  return out;
}

void send_mail(const Receiver& receiver, const Alert& message) {
  const char* path = std::getenv("PATH");
  const std::string mail = format(
      "To: {}\nSubject: {}\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n{}\n",
      expanded(receiver.words.front()), header_text(message.subject), body_of(receiver, message));
  run_program({"/usr/bin/env", format("PATH={}:/usr/sbin:/usr/lib", path == nullptr ? "" : path),
               "sendmail", "-t", "-i"},
              mail);
}

std::string url_of(const Receiver& receiver) {
  if (receiver.kind == "webhook") return expanded(receiver.words.front());
  const std::string name = expanded(receiver.words.front());
  std::ifstream file(name);
  std::string url;
  if (!(file >> url)) fail(name + " cannot be read");
  return url;
}

void post(const Receiver& receiver, const Alert& message) {
  constexpr Seconds kAnswer{20};
  const HttpEndpoint endpoint{.url = url_of(receiver)};
  const HttpAnswer answer = HttpFetch(endpoint).post("", body_of(receiver, message), kAnswer);
  if (answer.status >= 200 && answer.status < 300) return;
  fail(answer.status == 0 ? answer.words : format("it answered {}", answer.status));
}

void append_to_file(const Receiver& receiver, const Alert& message) {
  const std::string name = expanded(receiver.words.front());
  const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) fail(std::strerror(errno));
  const std::string text = body_of(receiver, message) + "\n";
  const bool written = write(file, text.data(), text.size()) == std::ssize(text);
  const bool kept = written && fsync(file) == 0;
  const int error = errno;
  close(file);
  if (!kept) fail(error != 0 ? std::strerror(error) : "it could not be written whole");
}

}  // namespace

void send(const Receiver& receiver, const Alert& message) {
  if (receiver.kind == "command") return run_command(receiver, message);
  if (receiver.kind == "mail") return send_mail(receiver, message);
  if (receiver.kind == "file") return append_to_file(receiver, message);
  post(receiver, message);
}

std::vector<Alert> messages_to(const Plan& plan, const Alert& message) {
  std::vector<Alert> messages;
  for (const Receiver& receiver : plan.receivers) {
    messages.push_back(message);
    messages.back().receiver = receiver.name();
  }
  return messages;
}

Delivery deliver(Store& store, const Plan& plan, double now_unix_s) {
  Delivery delivery;
  for (const Alert& message : unsent(store, plan.name)) {
    const auto receiver = std::ranges::find_if(
        plan.receivers, [&](const Receiver& r) { return r.name() == message.receiver; });
    if (receiver == plan.receivers.end()) {
      set_sent(store, message.id, now_unix_s);
      delivery.problems.push_back(format("'{}' was for {}, who is no receiver any more: dropped",
                                         message.subject, message.receiver));
      continue;
    }
    try {
      send(*receiver, message);
      set_sent(store, message.id, now_unix_s);
      ++delivery.sent;
    } catch (const Error& error) {
      set_unsent(store, message.id, error.what());
      delivery.problems.push_back(
          format("'{}' could not be sent to {} ({}); it is kept and sent "
                 "next time",
                 message.subject, message.receiver, error.what()));
    }
  }
  return delivery;
}

}  // namespace bench
