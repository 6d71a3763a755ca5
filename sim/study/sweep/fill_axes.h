// Values of axes that depend on the machine.
#pragma once

#include "sim/study/sweep/point_runner.h"
#include "sim/study/sweep/sweep_spec.h"

namespace kb::sweep {

// Asks the machine that the file names, with its fixed keys, for the values of axes that are queries. A machine may
// give an axis none. Configuration Error at the place in the file.
void fill_axes(SweepSpec& spec, const Catalogs& catalogs);

// The first axis without values; null when every axis has some.
const Axis* empty_axis(const SweepSpec& spec);

}  // namespace kb::sweep
