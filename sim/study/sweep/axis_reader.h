// Reads `axes` of a sweep file.
#pragma once

#include <string>
#include <vector>

#include "platform/topology/spec_reader.h"
#include "sim/study/sweep/axis.h"

namespace kb::sweep {

// Names that `run:` of an axis may have.
const std::vector<std::string>& run_options();

// Axes in file order. Files with values are relative to `folder`. Problems are reported to the reader's context. Values
// of queries are filled in later (fill_axes).
std::vector<Axis> read_axes(topology::MapReader& top, const std::string& folder);

// For example "must begin with a letter"; empty when `name` is valid as a column of the table and a variable of a
// formula.
std::string problem_of_name(const std::string& name);

}  // namespace kb::sweep
