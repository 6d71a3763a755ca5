// Finds out before the first run what would make all of them useless.
#pragma once

#include "sim/study/sweep/point_runner.h"
#include "sim/study/sweep/space.h"
#include "sim/study/sweep/sweep_spec.h"

namespace kb::sweep {

// Configuration Error at the place in the sweep file: an override that the machine or workload does not know, a value
// that a parameter cannot have, an axis whose values all give one configuration. Axes are tried one at a time, the
// others at their first value, which together have to be a machine.
void check_axes(const SweepSpec& spec, const Space& space, const PointRunner& runner);

}  // namespace kb::sweep
