// Reader of the plots of a sweep file.
#pragma once

#include <vector>

#include "platform/topology/spec_reader.h"
#include "sim/study/sweep/plots.h"
#include "sim/study/sweep/sweep_spec.h"

namespace kb::sweep {

// Reads `plots: [{x: ..., y: ...}, {heat: ..., x: ..., y: ...}]`. The axes, columns and objectives of `spec` must have
// been read. Problems are reported to the reader's context.
std::vector<Plot> read_plots(topology::MapReader& top, const SweepSpec& spec);

// True for letters, digits, - and _.
bool is_file_name(const std::string& name);

}  // namespace kb::sweep
