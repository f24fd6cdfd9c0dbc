#include "workloads/workload.h"

namespace bench {

Case Workload::case_of(const Point& point, const std::string& variant) const {
  return {.runner = runner, .variant = variant, .parameters = point.parameters};
}

std::string Server::endpoint() const {
  const std::size_t scheme = ready.find("://");
  return ready.substr(0, scheme == ready.npos ? ready.npos : ready.find('/', scheme + 3));
}

std::string Receiver::name() const {
  std::string text = kind;
  for (const std::string& word : words) text += " " + word;
  return text;
}

}  // namespace bench
