#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dashboards/html.h"

namespace bench {

// Bars of stacked parts, one a row: the stages of a step.
struct BarPart {
  std::string name{};
  std::size_t look = 0;
  double value = 0;  // below 0: left out, but counted in the total by the caller
  std::string note{};
};

struct Bar {
  std::string name{};
  std::vector<BarPart> parts{};
  std::string total{};    // written behind the bar
  std::string missing{};  // instead of parts: why there are none
};

struct BarPlot {
  std::string title{};
  std::string caption{};
  std::vector<Bar> bars{};
};
void draw(const BarPlot& plot, Html& page);

// A waterfall from one total to another: each step starts where the last one ended.
struct WaterfallStep {
  std::string name{};
  double change = 0;
  std::optional<double> predicted{};  // drawn as an outline from the same start
  std::string value{};                // written at its end
  std::string note{};
};

struct Waterfall {
  std::string title{};
  std::string caption{};
  std::string first{}, last{};              // names of the totals
  std::string first_value{}, last_value{};  // written
  double start = 0;
  std::vector<WaterfallStep> steps{};
};
void draw(const Waterfall& plot, Html& page);

}  // namespace bench
