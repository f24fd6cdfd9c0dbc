#pragma once

#include <filesystem>
#include <string>

namespace bench {

// The real program in a folder of its own, for end-to-end tests.
struct Outcome {
  int exit = 0;
  std::string out;
  std::string err;
};

class BenchProgram {
 public:
  BenchProgram();
  ~BenchProgram();
  BenchProgram(const BenchProgram&) = delete;
  BenchProgram& operator=(const BenchProgram&) = delete;

  // `arguments` as typed in a shell, run in folder(), with the database in it.
  [[nodiscard]] Outcome run(const std::string& arguments) const;
  // The same for a whole script, in which $BENCH is the program.
  [[nodiscard]] Outcome shell(const std::string& script) const;
  void write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string read(const std::string& name) const;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace bench
