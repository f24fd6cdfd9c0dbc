#pragma once

#include <string>
#include <vector>

#include "harness/app/findings.h"
#include "results/nights.h"

namespace bench {

// What has changed since the night before: nothing that was told already.
struct News {
  std::vector<Finding> opened;
  std::vector<Incident> closed;     // recovered
  std::vector<std::string> events;  // a night that did not run, an interruption, a failure

  [[nodiscard]] bool empty() const { return opened.empty() && closed.empty() && events.empty(); }
};

// The message of a night. Its JSON: schema_version 1, configuration, host, night, run, text,
// items [{state: opened, closed or event, kind, subject, words, metric, before, after, ratio,
// interval: [low, high]}]; what is unknown is left out.
Alert message_of(const Night& night, const std::string& host, const News& news);

}  // namespace bench
