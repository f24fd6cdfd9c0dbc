#include "tests/app/bench_program.h"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "harness/error.h"
#include "tests/bench_binary.h"

namespace bench {
namespace fs = std::filesystem;

BenchProgram::BenchProgram() {
  std::string name = (fs::temp_directory_path() / "bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) fail("no temporary folder");
  folder_ = name;
}

BenchProgram::~BenchProgram() { fs::remove_all(folder_); }

Outcome BenchProgram::run(const std::string& arguments) const {
  return shell("$BENCH " + arguments);
}

Outcome BenchProgram::shell(const std::string& script) const {
  const std::string command = "cd " + folder_.string() + " && export BENCH=" + bench_binary() +
                              " BENCH_DB=bench.db BENCH_LOCKS=. COLUMNS=80 && { " + script +
                              "\n} >out.txt 2>err.txt </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read("out.txt"), read("err.txt")};
}

void BenchProgram::write(const std::string& name, const std::string& text) const {
  std::ofstream(folder_ / name) << text;
}

std::string BenchProgram::read(const std::string& name) const {
  std::ifstream file(folder_ / name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace bench
