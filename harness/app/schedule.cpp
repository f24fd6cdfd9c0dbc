#include "harness/app/schedule.h"

#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>

#include "harness/app/alerts.h"
#include "harness/app/night_date.h"
#include "harness/app/night_message.h"
#include "harness/app/paths.h"
#include "harness/app/report_of.h"
#include "harness/app/times.h"
#include "harness/format.h"
#include "results/nights.h"

namespace bench {
namespace {

namespace fs = std::filesystem;

// As systemd-escape writes it, so that any name is a unit's, and no two share one.
std::string unit_of(const Schedule& s) {
  std::string name = "bench-nightly-";
  for (const char c : s.plan->name) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    name += plain ? std::string(1, c) : format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return name;
}

fs::path unit_folder(const Schedule& s) {
  if (!s.folder.empty()) return s.folder;
  if (!s.user) return "/etc/systemd/system";
  if (const char* home = std::getenv("XDG_CONFIG_HOME"); home != nullptr && *home != '\0') {
    return fs::path(home) / "systemd/user";
  }
  const char* home = std::getenv("HOME");
  return fs::path(home == nullptr ? "/root" : home) / ".config/systemd/user";
}

// A whole line of a unit: % and what would end it.
std::string unit_line(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c == '\n' || c == '\r' ? ' ' : c;
    if (c == '%') out += c;
  }
  return out;
}

// As systemd reads it: in quotes, % and $ doubled.
std::string word(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
    if (c == '%' || c == '$') out += c;
  }
  return out + "\"";
}

// No limit may disturb what is measured: no quota, no idle class. The device locks are waited for,
// so that a night is late rather than missing. The whole group ends with the harness.
constexpr const char* kService = R"([Unit]
Description=bench nightly of {name}
Documentation=https://www.freedesktop.org/software/systemd/man/systemd.service.html
After=network-online.target time-sync.target
Wants=network-online.target
OnFailure={unit}-failed.service

[Service]
Type=oneshot
WorkingDirectory={work}
EnvironmentFile=-{environment}
ExecStart={bench} nightly {config} --at {at} --db {database} --wait 4h
SuccessExitStatus=0 1 3 75
KillMode=control-group
TimeoutStartSec=20h
TimeoutStopSec=2min
Nice=-5
OOMPolicy=continue
LimitCORE=0
)";

// Reached only when the night itself could not tell: killed, or its configuration is wrong.
constexpr const char* kFailed = R"([Unit]
Description=tells that the nightly run of {name} failed

[Service]
Type=oneshot
WorkingDirectory={work}
EnvironmentFile=-{environment}
ExecStart={bench} nightly tell {config} --at {at} --db {database}
)";

constexpr const char* kTimer = R"([Unit]
Description=every night: bench nightly of {name}

[Timer]
OnCalendar=*-*-* {at}:00
OnBootSec=10min
Persistent=true
AccuracySec=1min

[Install]
WantedBy=timers.target
)";

std::string filled(std::string text, const Schedule& s) {
  const std::string environment =
      (fs::path(s.config).parent_path() / (s.plan->name + ".env")).string();
  const std::pair<const char*, std::string> values[] = {
      {"{name}", unit_line(s.plan->name)},
      {"{unit}", unit_of(s)},
      {"{work}", unit_line(fs::path(s.database).parent_path().string())},
      {"{environment}", unit_line(environment)},
      {"{bench}", word(own_binary().string())},
      {"{config}", word(s.config)},
      {"{database}", word(s.database)},
      {"{at}", s.at}};
  for (const auto& [key, value] : values) {
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at)) {
      text.replace(at, std::string(key).size(), value);
      at += value.size();
    }
  }
  return text;
}

bool systemctl(const Schedule& s, const std::string& arguments) {
  if (!s.folder.empty()) return true;
  const std::string command =
      format("systemctl {}{} >/dev/null 2>&1", s.user ? "--user " : "", arguments);
  return std::system(command.c_str()) == 0;  // NOLINT(cert-env33-c): our own words
}

std::vector<std::pair<std::string, std::string>> units_of(const Schedule& s) {
  std::string service = filled(kService, s);
  // A user's systemd has no such targets, and may not raise a priority.
  if (s.user) {
    for (const std::string line : {"After=network-online.target time-sync.target\n",
                                   "Wants=network-online.target\n", "Nice=-5\n"}) {
      service.erase(service.find(line), line.size());
    }
  }
  return {{unit_of(s) + ".service", service},
          {unit_of(s) + "-failed.service", filled(kFailed, s)},
          {unit_of(s) + ".timer", filled(kTimer, s)}};
}

void print_last(const std::vector<Night>& nights) {
  if (nights.empty()) {
    std::cout << "last    no night yet\n";
    return;
  }
  const Night& last = nights.front();
  std::cout << format("last    night {}: {}{}{}{}\n", last.night, last.state,
                      last.run ? format(", run {}", *last.run) : "",
                      last.exit ? format(", exit {}", *last.exit) : "",
                      last.notes.empty() ? "" : " (" + last.notes + ")");
}

}  // namespace

Exit install(const Schedule& s) {
  check_time_of_day(s.at);
  if (s.plan->gates.empty()) {
    fail_usage(format("{}: a nightly run needs `gates:` to judge it by", s.config));
  }
  std::error_code error;
  fs::create_directories(unit_folder(s), error);
  for (const auto& [name, text] : units_of(s)) {
    write_file((unit_folder(s) / name).string(), text);
    std::cout << (unit_folder(s) / name).string() << '\n';
  }
  const std::string timer = unit_of(s) + ".timer";
  if (!systemctl(s, "daemon-reload") || !systemctl(s, "enable --now '" + timer + "'")) {
    fail(format("systemd did not take {}: systemctl {}enable --now {} says why", timer,
                s.user ? "--user " : "", timer));
  }
  std::cout << format("every night at {}: bench nightly status {}\n", s.at, s.config);
  if (s.user) std::cout << "nights while nobody is logged in: loginctl enable-linger\n";
  return Exit::ok;
}

Exit uninstall(const Schedule& s) {
  systemctl(s, "disable --now '" + unit_of(s) + ".timer'");
  std::error_code error;
  int removed = 0;
  for (const auto& [name, text] : units_of(s)) removed += fs::remove(unit_folder(s) / name, error);
  systemctl(s, "daemon-reload");
  fs::remove("/var/lib/systemd/timers/stamp-" + unit_of(s) + ".timer", error);
  std::cout << format("{} units removed\n", removed);
  return Exit::ok;
}

Exit tell_failure(const Schedule& s, double now_unix_s) {
  Night night;
  night.configuration = s.plan->name;
  night.night = current_night(now_unix_s, s.at);
  News news;
  news.events.push_back(format("night {} failed before it could tell why: journalctl -u {}",
                               night.night, unit_of(s)));
  const Alert message = message_of(night, host_name(), news);
  Exit exit = Exit::ok;
  for (const Receiver& receiver : s.plan->receivers) {
    try {
      send(receiver, message);
    } catch (const Error& error) {
      std::cerr << format("{} could not be told: {}\n", receiver.name(), error.what());
      exit = Exit::unjudged;
    }
  }
  return exit;
}

Exit show_status(const Schedule& s, double now_unix_s) {
  const bool scheduled = fs::exists(unit_folder(s) / (unit_of(s) + ".timer"));
  const std::string tonight = current_night(now_unix_s, s.at);
  std::cout << (scheduled ? format("next    every night at {} ({}.timer)\n", s.at, unit_of(s))
                          : "next    not scheduled (bench nightly install CONFIG)\n");
  if (!fs::exists(s.database)) {
    std::cout << format("last    no night yet ({} is not there)\n", s.database);
    return Exit::unjudged;
  }
  Store store(s.database, Access::read);
  const std::vector<Night> nights = list_nights(store, s.plan->name);
  print_last(nights);
  const bool late =
      nights.empty() || nights.front().night < tonight || nights.front().state == "not measured";
  if (late) std::cout << format("MISSING night {}\n", tonight);
  for (const Incident& incident : open_incidents(store, s.plan->name)) {
    std::cout << format("open    {} since night {}: {}\n", incident.kind, incident.opened,
                        incident.words.substr(0, incident.words.find('\n')));
  }
  const std::vector<Alert> kept = unsent(store, s.plan->name);
  for (const Alert& message : kept) {
    std::cout << format("UNSENT  to {} ({} attempts): {}\n", message.receiver, message.attempts,
                        message.subject);
  }
  return late || !kept.empty() ? Exit::unjudged : Exit::ok;
}

}  // namespace bench
