// Reads `axes` of a sweep file.
#pragma once

#include <string>
#include <vector>

#include "platform/topology/spec_reader.h"
#include "sim/study/sweep/axis.h"

namespace kb::sweep {

// What `run:` of an axis may name.
const std::vector<std::string>& run_options();

// In the file's order. `folder`: where files of values are looked for. Problems go to the reader's context.
// Values of queries come later (fill_axes).
std::vector<Axis> read_axes(topology::MapReader& top, const std::string& folder);

// "must begin with a letter" and the like; empty when `name` can be a column of the table and a variable of a formula.
std::string problem_of_name(const std::string& name);

}  // namespace kb::sweep
