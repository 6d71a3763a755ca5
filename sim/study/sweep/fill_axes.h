// Computes axis values that depend on the machine.
#pragma once

#include "sim/study/sweep/point_runner.h"
#include "sim/study/sweep/sweep_spec.h"

namespace kb::sweep {

// Runs the queries of axes on the machine that the file names, with its fixed keys. An axis may get no values.
// Configuration Error at the position in the file.
void fill_axes(SweepSpec& spec, const Catalogs& catalogs);

// The first axis without values; null when all axes have values.
const Axis* empty_axis(const SweepSpec& spec);

}  // namespace kb::sweep
