#include "runners/listeners.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "harness/format.h"

namespace bench {
namespace {

namespace fs = std::filesystem;

// Inodes of sockets that listen on the port; `table` is /proc/net/tcp or tcp6.
void find_sockets(const char* table, int port, std::set<std::string>& names) {
  std::ifstream file(table);
  std::string line;
  std::getline(file, line);
  const std::string end = format(":{:04X}", port);
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string slot;
    std::string local;
    std::string remote;
    std::string state;
    std::string skipped;
    std::string inode;
    words >> slot >> local >> remote >> state;
    for (int i = 0; i < 5; ++i) words >> skipped;
    words >> inode;
    if (state == "0A" && local.ends_with(end)) names.insert(format("socket:[{}]", inode));
  }
}

bool holds_any(const fs::path& process, const std::set<std::string>& names) {
  std::error_code error;
  for (fs::directory_iterator at(process / "fd", error), end; !error && at != end;
       at.increment(error)) {
    std::error_code gone;
    if (names.contains(fs::read_symlink(at->path(), gone).string())) return true;
  }
  return false;
}

pid_t parent_of(pid_t process) {
  std::ifstream file(format("/proc/{}/stat", process));
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(text.substr(name_end + 1));
  std::string state;
  pid_t parent = 0;
  rest >> state >> parent;
  return parent;
}

}  // namespace

std::vector<pid_t> listeners(int port) {
  std::set<std::string> names;
  find_sockets("/proc/net/tcp", port, names);
  find_sockets("/proc/net/tcp6", port, names);
  std::vector<pid_t> found;
  if (names.empty()) return found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    pid_t process = 0;
    const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (bad != std::errc{} || end != name.data() + name.size()) continue;
    if (holds_any(entry.path(), names)) found.push_back(process);
  }
  return found;
}

bool descends_from(pid_t process, pid_t ancestor) {
  for (; process > 1; process = parent_of(process)) {
    if (process == ancestor) return true;
  }
  return false;
}

std::string process_name(pid_t process) {
  std::ifstream file(format("/proc/{}/comm", process));
  std::string name;
  std::getline(file, name);
  return name;
}

int port_of(const std::string& url) {
  const std::size_t scheme = url.find("://");
  const std::size_t host = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t end = std::min(url.find('/', host), url.size());
  const std::size_t colon = url.rfind(':', end);
  int port = url.starts_with("https") ? 443 : 80;
  if (colon != std::string::npos && colon > host) {
    std::from_chars(url.data() + colon + 1, url.data() + end, port);
  }
  return port;
}

}  // namespace bench
