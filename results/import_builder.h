#pragma once

#include <map>
#include <string>
#include <string_view>

#include "results/run.h"

namespace bench {

// Puts together the run of an imported file: what is met again is a further replicate.
class ImportBuilder {
 public:
  // `text` is the file's content: the run's id is its digest.
  ImportBuilder(std::string_view text, const std::string& path, const std::string& runner);

  [[nodiscard]] RunRecord& run() { return run_; }

  // The next replicate of the benchmark `name`; valid until the next call. `label` is for people.
  Measurement& measurement(const std::string& name, const std::string& label);

  // Notes what was left out of the latest measurement, and why.
  void leave_out(const std::string& what, const std::string& why);

  RunRecord take();

 private:
  RunRecord run_;
  std::string runner_;
  std::map<std::string, std::size_t> places_;  // of a name in the plan
};

// "words that say name: value" -> the number a text holds; NaN if it holds none.
double number_in(const std::string& text);

}  // namespace bench
