#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/store.h"

namespace bench {

// Requests of a live server are kept as they end, in the form of Measurement::requests: what a kill
// costs is those in flight. They become the measurement's when it is stored, and are dropped when
// the run is resumed, since its case is then measured anew.

// Of a planned case that is being measured; one transaction.
void keep_requests(Store& store, std::int64_t run, const MeasurementKey& key,
                   std::string_view records);

// What is kept of cases whose measurement was cut off.
struct Unfinished {
  std::string workload;
  std::string label;  // of the planned case: context 4k, concurrency 8
  std::int64_t replicate = 0;
  std::string records;
};
std::vector<Unfinished> load_unfinished(Store& store, std::int64_t run);

// For the store: hands over what was kept for the stored measurement, or drops all of a run.
std::string take_requests(Database& database, std::int64_t measurement_row);
void drop_requests(Database& database, std::int64_t run);

}  // namespace bench
