#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/store.h"

namespace bench {

// What a box does by itself at night, as it remembers it. Unlike runs, this is not merged.

struct Night {
  std::string configuration;
  std::string night;  // the date, 2026-11-30
  std::optional<std::int64_t> run{};
  std::string state = "running";       // running, judged, not measured
  std::optional<std::int64_t> exit{};  // of the command; none: it has not ended
  std::string notes{};                 // why it was not measured; interruptions
  double started_unix_s = 0;
  std::optional<double> ended_unix_s{};
};
std::vector<Night> list_nights(Store& store, const std::string& configuration);  // newest first
void save_night(Store& store, const Night& night);  // replaces that of the same date

// Something that was told once and stays true until it is closed.
struct Incident {
  std::int64_t id = 0;  // 0: not stored yet
  std::string kind;     // regression, improvement, drift, unjudged, not measured, baseline
  std::string subject;  // of what: "workload|case id|metric"
  std::string words;    // as it was told, a line or more
  std::optional<std::int64_t> run{};        // that showed it
  std::optional<std::int64_t> reference{};  // that it is judged against
  std::string opened{};                     // night
};
std::vector<Incident> open_incidents(Store& store, const std::string& configuration);

// A message to one receiver.
struct Alert {
  std::int64_t id = 0;
  std::string receiver;  // Receiver::name()
  std::string subject;
  std::string text;
  std::string json;
  std::int64_t attempts = 0;
};

// What a night came to: stored as a whole or not at all, so that nothing is remembered as told
// without the message that tells it.
struct NightEnd {
  Night night;
  std::vector<Incident> opened;
  std::vector<std::int64_t> closed;  // ids
  std::vector<Alert> messages;
};
void store_end(Store& store, const NightEnd& end, double now_unix_s);

std::vector<Alert> unsent(Store& store, const std::string& configuration);  // oldest first
void set_sent(Store& store, std::int64_t message, double now_unix_s);
void set_unsent(Store& store, std::int64_t message, const std::string& error);

}  // namespace bench
