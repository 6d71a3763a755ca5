// Detects errors that would make all runs useless, before the first run.
#pragma once

#include "sim/study/sweep/point_runner.h"
#include "sim/study/sweep/space.h"
#include "sim/study/sweep/sweep_spec.h"

namespace kb::sweep {

// Configuration Error at the position in the sweep file: an override that the machine or workload does not have, an
// invalid value of a parameter, an axis whose values all give the same configuration. Axes are tested one at a time
// with the others at their first values, which together must form a valid machine.
void check_axes(const SweepSpec& spec, const Space& space, const PointRunner& runner);

}  // namespace kb::sweep
