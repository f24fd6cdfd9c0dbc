#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/store.h"
#include "results/trace/waste.h"

namespace bench {

// Bandwidth that a prediction rests on.
struct Ceiling {
  double bytes_per_s = 0;  // 0: not known
  std::string source;      // "the card's 4.800 TB/s", "the 4.233 TB/s that run 12 measured"
};

// What a stored run of the kernel runner says of gather_cast on one kind of device.
struct MeasuredGather {
  std::int64_t run = 0;
  std::int64_t active_tokens = 0;
  std::int64_t width = 0;    // values of a row
  double layer_seconds = 0;  // plan, gather and cast; median over replicates
};

// The newest run's copy bandwidth of such a device; without one, `peak_bytes_per_s` of the card.
Ceiling measured_ceiling(Store& store, const std::string& device_name, double peak_bytes_per_s);
Ceiling card_ceiling(double peak_bytes_per_s);
std::vector<MeasuredGather> measured_gathers(Store& store, const std::string& device_name);

// What a step would gain by each way out of a waste: gather_cast by what was measured at about as
// many active tokens (within a factor of 1.5; the newest run decides), else by its bytes over the
// ceiling; native_fp8 and bf16_pool copy nothing. gather_cast is left out where neither is known.
std::vector<WayOut> ways_out(const Waste& waste, const Ceiling& ceiling,
                             std::span<const MeasuredGather> measured);

}  // namespace bench
