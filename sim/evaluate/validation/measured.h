// One measured quantity with the band that it has to be in, as rows of the data file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/evaluate/evaluation.h"

namespace kb::evaluate {

struct Measured {
  std::string section;    // "mesh"
  std::string scenario;   // "mesh4x4 uniform 256 B"
  std::string parameter;  // "load"
  double parameter_value = 0;
  std::string quantity;  // "latency"
  double value = 0;
  std::string unit;          // "ns"
  std::string source;        // of the figure beside it: an outside simulator or a bound; empty = there is none
  double beside = 0;         // that figure, in the same unit
  double low = 0, high = 0;  // the band, both ends inside
};

Json measured_json(const Measured& measured);

// A violation per row of the data file that is outside its band, with value and band (E-9).
std::vector<Violation> check_bands(const Json& data);
// All rows as a table for spreadsheets.
std::string measured_csv(const Json& data);

// The rows of one section and scenario as (parameter, value); `member` is "value" or "beside".
std::vector<std::pair<double, double>> curve_of(const Json& data, const std::string& section,
                                                const std::string& scenario, const std::string& quantity,
                                                const char* member);

// "kernbench 0.1.0, configuration 0123456789ab", for the caption of a figure whose machines are the evaluation's own.
std::string made_by(const Json& data);

}  // namespace kb::evaluate
