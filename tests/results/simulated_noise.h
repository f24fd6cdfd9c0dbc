#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <string_view>
#include <vector>

namespace bench {

// How replicates of one and the same program scatter.
enum class Noise {
  gaussian,
  heavy_tails,   // Student's t with 3 degrees of freedom
  bimodal,       // half of the processes start in a mode 8 deviations slower
  bimodal_rare,  // one in five does
  drift,         // the machine slows down steadily, by 2 deviations over both runs
  own_drift,     // each case so, up or down as it likes: a drift then looks like a change
  outlier,       // one replicate of all, on either side, is 20 deviations slower
};
inline constexpr std::array kNoises{Noise::gaussian,     Noise::heavy_tails, Noise::bimodal,
                                    Noise::bimodal_rare, Noise::drift,       Noise::outlier};
inline constexpr std::array kAllNoises{Noise::gaussian,     Noise::heavy_tails, Noise::bimodal,
                                       Noise::bimodal_rare, Noise::drift,       Noise::own_drift,
                                       Noise::outlier};

constexpr std::string_view name(Noise noise) {
  constexpr std::array<std::string_view, 7> kNames{
      "gaussian", "heavy_tails", "bimodal", "bimodal_rare", "drift", "own_drift", "outlier"};
  return kNames.at(static_cast<std::size_t>(noise));
}

struct SimulatedPair {
  std::vector<double> baseline;
  std::vector<double> candidate;
};

// Replicates of a case that truly takes 1 and then `ratio`; `deviation` is relative. The runs
// follow each other; `interleaved` takes the replicates of both in turns.
inline SimulatedPair simulate(Noise noise, double deviation, std::size_t replicates, double ratio,
                              std::mt19937_64& random, bool interleaved = false) {
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> heavy(3);
  std::uniform_real_distribution<double> uniform;
  const double total = 2 * static_cast<double>(replicates);
  const double odd = std::floor(uniform(random) * total);
  const double own = uniform(random) < 0.5 ? -1 : 1;
  const auto value = [&](double position, double truth) {
    double error = normal(random);
    if (noise == Noise::heavy_tails) error = heavy(random);
    if (noise == Noise::bimodal) error += uniform(random) < 0.5 ? 8 : 0;
    if (noise == Noise::bimodal_rare) error += uniform(random) < 0.2 ? 8 : 0;
    if (noise == Noise::drift) error += 2 * position / total;
    if (noise == Noise::own_drift) error += own * 2 * position / total;
    if (noise == Noise::outlier && position == odd) error += 20;
    return truth * std::exp(deviation * error);
  };
  SimulatedPair pair;
  for (std::size_t i = 0; i < replicates; ++i) {
    const auto at = static_cast<double>(i);
    pair.baseline.push_back(value(interleaved ? 2 * at : at, 1));
    pair.candidate.push_back(value(interleaved ? 2 * at + 1 : at + total / 2, ratio));
  }
  return pair;
}

}  // namespace bench
