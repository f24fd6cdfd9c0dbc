#include "harness/app/night_date.h"

#include <array>
#include <ctime>

#include "harness/error.h"
#include "harness/format.h"

namespace bench {
namespace {

constexpr std::time_t kDay = 86400;

std::string formatted(const std::tm& parts, const char* layout) {
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), layout, &parts)};
}

// Midnight of the date, as if it were UTC: days are all equally long.
std::time_t day_of(const std::string& night) {
  std::tm parts{};
  const char* end = strptime(night.c_str(), "%Y-%m-%d", &parts);
  const std::time_t day = timegm(&parts);
  std::tm again{};
  gmtime_r(&day, &again);
  if (end == nullptr || *end != '\0' || formatted(again, "%Y-%m-%d") != night) {
    fail_usage(format("'{}' is no date (write 2026-11-30)", night));
  }
  return day;
}

std::string date_of(std::time_t day) {
  std::tm parts{};
  gmtime_r(&day, &parts);
  return formatted(parts, "%Y-%m-%d");
}

}  // namespace

void check_time_of_day(const std::string& at) {
  std::tm parts{};
  const char* end = strptime(at.c_str(), "%H:%M", &parts);
  if (end == nullptr || *end != '\0') fail_usage(format("--at: '{}' is no time (write 02:30)", at));
}

void check_night(const std::string& night) { day_of(night); }

std::string current_night(double now_unix_s, const std::optional<std::string>& at) {
  const auto now = static_cast<std::time_t>(now_unix_s);
  std::tm parts{};
  localtime_r(&now, &parts);
  std::string today = formatted(parts, "%Y-%m-%d");
  if (!at) return today;
  check_time_of_day(*at);
  const std::string padded = at->size() == 4 ? "0" + *at : *at;
  return formatted(parts, "%H:%M") >= padded ? today : date_of(day_of(today) - kDay);
}

int days_between(const std::string& from, const std::string& to) {
  return static_cast<int>((day_of(to) - day_of(from)) / kDay);
}

std::vector<std::string> nights_between(const std::string& from, const std::string& to) {
  std::vector<std::string> nights;
  for (std::time_t day = day_of(from) + kDay; day < day_of(to); day += kDay) {
    nights.push_back(date_of(day));
  }
  return nights;
}

}  // namespace bench
