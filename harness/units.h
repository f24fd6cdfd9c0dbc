#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

// Time is Seconds in every signature. The people-sized units (ms, us, GB/s, 4k) exist only here.
using Seconds = std::chrono::duration<double>;

// Parsers of human numbers. Each throws Error (exit 2) that quotes the text and says what would
// be right. They accept no sign, no spaces inside, no trailing text, and reject overflow.
std::int64_t parse_count(std::string_view text);  // 495552, 4k = 4096, 1M = 1048576, 1.5M
std::int64_t parse_bytes(std::string_view text);  // 512, 25.5GiB, 22.3GB, 64MiB
Seconds parse_seconds(std::string_view text);     // 64.6ms, 250us, 1.5s, 20m, 2h, 30d
double parse_fraction(std::string_view text);     // 2%, 0.02

// Formatters: at most four significant digits, unit attached ("95.60 ms", "1.03 TB/s", "4k").
std::string format_seconds(Seconds time);
std::string format_count(std::int64_t count);      // 4096 -> 4k, 495552 -> 495552
std::string format_bytes(double bytes);            // 22.3 GB (powers of 1000)
std::string format_bandwidth(double bytes_per_s);  // 4.07 TB/s
std::string format_percent(double fraction);       // 0.041 -> +4.1 %

}  // namespace bench
