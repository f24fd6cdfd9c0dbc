#include "tests/browser/webdriver.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>

extern char** environ;

namespace bench::testing {
namespace {

using nlohmann::json;

std::string find_program(std::initializer_list<const char*> names) {
  const char* path = std::getenv("PATH");
  for (std::string rest = path == nullptr ? "" : path; !rest.empty();) {
    const std::size_t cut = rest.find(':');
    for (const char* name : names) {
      const std::filesystem::path file = std::filesystem::path(rest.substr(0, cut)) / name;
      if (access(file.c_str(), X_OK) == 0) return file;
    }
    rest = cut == std::string::npos ? "" : rest.substr(cut + 1);
  }
  return {};
}

std::string find_browser() {
  return find_program({"chromium", "chromium-browser", "google-chrome"});
}
std::string find_driver() { return find_program({"chromedriver"}); }

std::size_t append(char* data, std::size_t size, std::size_t count, void* text) {
  static_cast<std::string*>(text)->append(data, size * count);
  return size * count;
}

json ask(const std::string& method, const std::string& url, const std::string& body) {
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(curl_easy_init(), curl_easy_cleanup);
  const std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers(
      curl_slist_append(nullptr, "Content-Type: application/json"), curl_slist_free_all);
  std::string answer;
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_NOPROXY, "*");
  curl_easy_setopt(curl.get(), CURLOPT_CUSTOMREQUEST, method.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
  if (method == "POST") curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, body.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, append);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &answer);
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT, 120L);
  const CURLcode code = curl_easy_perform(curl.get());
  if (code != CURLE_OK) throw std::runtime_error(url + ": " + curl_easy_strerror(code));
  return json::parse(answer).at("value");
}

// Starts the driver on a free port and returns the port it names.
int start_driver(pid_t& pid) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::string program = find_driver();
  std::string port = "--port=0";
  char* arguments[] = {program.data(), port.data(), nullptr};
  const int failed = posix_spawn(&pid, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failed != 0) throw std::runtime_error("chromedriver did not start");
  std::string said;
  std::array<char, 512> buffer{};
  for (ssize_t got = 0; (got = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    said.append(buffer.data(), static_cast<std::size_t>(got));
    const std::size_t at = said.find("started successfully on port ");
    if (at == std::string::npos || said.find('\n', at) == std::string::npos) continue;
    close(ends[0]);
    return std::atoi(said.c_str() + at + 29);
  }
  throw std::runtime_error("chromedriver said: " + said);
}

std::string from_base64(const std::string& text) {
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t digit = digits.find(c);
    if (digit == std::string_view::npos) continue;
    bits = (bits << 6) | static_cast<unsigned>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>((bits >> count) & 0xFF);
  }
  return out;
}

}  // namespace

std::string Browser::missing() {
  if (find_browser().empty()) return "no chromium on PATH";
  return find_driver().empty() ? "no chromedriver on PATH" : "";
}

Browser::Browser() {
  const int port = start_driver(driver_);
  const json options = {{"binary", find_browser()},
                        {"args",
                         {"--headless=new", "--no-sandbox", "--disable-gpu",
                          "--disable-dev-shm-usage", "--hide-scrollbars"}}};
  const json always = {{"goog:chromeOptions", options},
                       {"goog:loggingPrefs", {{"browser", "ALL"}, {"performance", "ALL"}}}};
  const std::string root = "http://127.0.0.1:" + std::to_string(port) + "/session";
  const json session = ask("POST", root, json{{"capabilities", {{"alwaysMatch", always}}}}.dump());
  if (!session.contains("sessionId")) throw std::runtime_error(session.dump());
  address_ = root + "/" + session["sessionId"].get<std::string>();
}

Browser::~Browser() {
  try {
    ask("DELETE", address_, "");
  } catch (const std::exception&) {  // the driver is ended below all the same
  }
  kill(driver_, SIGTERM);
  waitpid(driver_, nullptr, 0);
}

json Browser::command(const std::string& method, const std::string& path, const json& body) {
  json value = ask(method, address_ + path, body.is_null() ? "{}" : body.dump());
  if (value.is_object() && value.contains("error")) {
    throw std::runtime_error(path + ": " + value["error"].get<std::string>() + ": " +
                             value["message"].get<std::string>());
  }
  return value;
}

void Browser::open(const std::string& url) { command("POST", "/url", {{"url", url}}); }

void Browser::resize(int width, int height) {
  command("POST", "/window/rect", {{"width", width}, {"height", height}});
}

json Browser::run(const std::string& script, const json& arguments) {
  return command("POST", "/execute/sync", {{"script", script}, {"args", arguments}});
}

json Browser::run_async(const std::string& script) {
  return command("POST", "/execute/async", {{"script", script}, {"args", json::array()}});
}

std::string Browser::element(const std::string& selector) {
  const json found = command("POST", "/element", {{"using", "css selector"}, {"value", selector}});
  return found.begin().value();
}

void Browser::press(const std::string& keys) {
  const json active = command("GET", "/element/active");
  command("POST", "/element/" + active.begin().value().get<std::string>() + "/value",
          {{"text", keys}});
}

void Browser::click(const std::string& selector) {
  command("POST", "/element/" + element(selector) + "/click");
}

void Browser::point_at(const std::string& selector) {
  const json origin = {{"element-6066-11e4-a52e-4f735466cecf", element(selector)}};
  const json move = {
      {"type", "pointerMove"}, {"duration", 0}, {"origin", origin}, {"x", 0}, {"y", 0}};
  const json mouse = {{"type", "pointer"}, {"id", "mouse"}, {"actions", json::array({move})}};
  command("POST", "/actions", {{"actions", json::array({mouse})}});
}

void Browser::allow_scripts(bool allowed) {
  command("POST", "/goog/cdp/execute",
          {{"cmd", "Emulation.setScriptExecutionDisabled"}, {"params", {{"value", !allowed}}}});
}

std::string Browser::screenshot() { return from_base64(command("GET", "/screenshot")); }

std::string Browser::print() {
  return from_base64(command("POST", "/print", {{"background", true}}));
}

json Browser::log(const std::string& kind) { return command("POST", "/se/log", {{"type", kind}}); }

std::vector<std::string> Browser::console_errors() {
  std::vector<std::string> errors;
  for (const json& entry : log("browser")) {
    if (entry["level"] == "SEVERE" || entry["level"] == "WARNING")
      errors.push_back(entry["message"]);
  }
  return errors;
}

std::vector<std::string> Browser::requests() {
  std::vector<std::string> urls;
  for (const json& entry : log("performance")) {
    const json message = json::parse(entry["message"].get<std::string>())["message"];
    if (message["method"] == "Network.requestWillBeSent")
      urls.push_back(message["params"]["request"]["url"]);
  }
  return urls;
}

}  // namespace bench::testing
