#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

#include "results/result.h"

namespace bench {

// What a person sees while a run measures: one line a finished measurement, and on a terminal a
// live line with the time left, which is rewritten in place. Written to standard error, so that
// the table on standard output can be piped.
class Progress {
 public:
  Progress(std::ostream& out, bool terminal);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void expect(std::int64_t total);      // measurements (case x replicate) to come, from now on
  void phase(const std::string& what);  // "measuring the copy bandwidth"
  void begin(const std::string& what);  // the case being worked on
  void finish(const std::string& what, const Measurement& measurement);

 private:
  using Clock = std::chrono::steady_clock;

  void clear_live();
  void draw_live(const std::string& what);
  [[nodiscard]] std::string time_left() const;

  std::int64_t total_ = 0;
  std::int64_t done_ = 0;
  std::ostream& out_;
  bool terminal_;
  bool live_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_;
};

// "single_stream, context 4k: native_fp8"
std::string describe(const std::string& workload, const std::string& point,
                     const std::string& variant);

}  // namespace bench
