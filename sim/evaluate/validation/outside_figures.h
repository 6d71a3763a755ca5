// Figures of outside simulators that the model is compared with: outside_figures.csv, compiled in.
#pragma once

#include <string>
#include <vector>

#include "sim/evaluate/validation/measured.h"

namespace kb::evaluate {

struct OutsideFigure {
  std::string source, scenario, parameter;
  double parameter_value = 0;
  std::string quantity;
  double value = 0;
  std::string unit;
  double lowest = 0, highest = 0;  // of (ours / value)
};

// Those that have a band. Model Error when the table is not as its header says.
std::vector<OutsideFigure> parse_outside_figures(const std::string& text);
// Of the scenarios whose name begins with `start`, from the table that comes with kernbench.
std::vector<OutsideFigure> outside_figures(const std::string& start);

Measured beside(const OutsideFigure& outside, const std::string& section, double value);

}  // namespace kb::evaluate
