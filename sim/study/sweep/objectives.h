// Objectives of a sweep: columns of its table to be minimised or maximised.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/error.h"
#include "platform/topology/spec_reader.h"
#include "sim/study/sweep/axis.h"
#include "sim/study/sweep/columns.h"

namespace kb::sweep {

enum class Goal : std::uint8_t { min, max };
const char* name_of(Goal goal);

struct Objective {
  std::string column;
  Goal goal = Goal::min;
  Diagnostic place = {};  // position in the file; message and remedy are empty
};

// "min time_ns, max tflops"
std::string objectives_text(const std::vector<Objective>& objectives);

// Reads `objectives: [{column: NAME, goal: min}, ...]`, two or more with different columns. Problems are reported to
// the reader's context.
std::vector<Objective> read_objectives(topology::MapReader& top, const std::vector<Axis>& axes,
                                       const std::vector<Column>& columns);

}  // namespace kb::sweep
