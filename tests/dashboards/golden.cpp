#include "tests/dashboards/golden.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace bench::testing {

std::string golden(const std::string& name, const std::string& actual) {
  const std::string path = std::string(BENCH_GOLDEN) + "/" + name;
  if (std::getenv("BENCH_UPDATE_GOLDEN") != nullptr)
    std::ofstream(path, std::ios::binary) << actual;
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace bench::testing
