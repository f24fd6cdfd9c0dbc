#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/sampling.h"
#include "workloads/case.h"

namespace bench {

// One combination of a workload's axes; each of its variants makes a case.
struct Point {
  Parameters parameters;
  std::string skip;  // why this point is left out (from `skip:`); empty: measured
};

// One entry of `workloads:` in a configuration, expanded.
struct Workload {
  std::string name;
  std::string runner;
  std::vector<std::string> variants;
  std::string baseline;           // one of variants; the "before" of the before/after table: the
                                  // one the file names, else (or when --only left it out) the first
  std::vector<std::string> axes;  // parameter names, in the order of the file
  std::vector<Point> points;
  std::int64_t replicates = 3;
  Sampling sampling;
  double deadline_s = 600;  // a case silent for longer is ended and marked `timeout`

  [[nodiscard]] Case case_of(const Point& point, const std::string& variant) const;
};

// A gate of `gates:`; judged by `bench gate`.
struct Gate {
  std::string workload;
  std::string metric;
  double min_effect = 0.02;  // fraction
  // A variant that is measured in turn with each case: how the case stands to it is judged, so that
  // a machine that is faster some nights than others is not. Empty: the metric as it was measured.
  std::string relative_to{};
};

// An entry of `servers:`: how to start, recognise and stop a server that is to be measured. Times
// in seconds. ${VAR} in the texts is not expanded here: whoever starts the server does so, and what
// is stored holds no secret.
struct Server {
  std::string name;
  std::vector<std::string> command;  // program and arguments; no shell
  std::map<std::string, std::string> environment;
  std::string directory;    // working directory; empty: ours
  std::string ready;        // URL that answers 200 when the server can be measured
  double deadline_s = 600;  // to become ready
  std::string stop_signal = "TERM";
  double stop_deadline_s = 60;
  std::string log;      // file of its output; empty: in the results folder
  std::string variant;  // kernel variant that it runs, for the prediction; empty: unknown

  [[nodiscard]] std::string endpoint() const;  // scheme, host and port of `ready`
};

// An entry of `alerts:`, who is told of a night. ${VAR} in its words is expanded when something is
// sent, and never stored.
struct Receiver {
  std::string kind;  // command, webhook, webhook_file, file, mail
  std::vector<std::string>
      words;                  // of the command; else one: URL, file that holds it, file, address
  std::string body = "text";  // text, json, or slack (of a webhook)

  [[nodiscard]] std::string name() const;  // "webhook ${SLACK_URL}"
};

// `site:`, the pages of a nightly run.
struct SitePlace {
  std::string folder;  // empty: `site` beside the database
  std::string url;     // where it is served, without a trailing slash; empty: links are paths
};

// A whole configuration file, checked and expanded.
struct Plan {
  std::string name;
  std::string path;    // of the file, for messages
  std::string source;  // its text after --set, stored with the run; ${VAR} not expanded (secrets)
  std::vector<Workload> workloads;
  std::vector<Server> servers;
  std::vector<Gate> gates;
  std::vector<Receiver> receivers;
  SitePlace site;
  std::map<std::string, std::string> keep;  // retention of samples, metrics, site: 30d, forever
};

}  // namespace bench
