#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bench {

// Dates of nights, as 2026-11-30, by the local calendar.

// The night that `at` (02:30; none: midnight) began last. Throws Error (exit 2) for no time of day.
std::string current_night(double now_unix_s, const std::optional<std::string>& at);

void check_night(const std::string& night);  // Error (exit 2) for what is no date
void check_time_of_day(const std::string& at);

// Days from one night to another; the nights strictly between them.
int days_between(const std::string& from, const std::string& to);
std::vector<std::string> nights_between(const std::string& from, const std::string& to);

}  // namespace bench
