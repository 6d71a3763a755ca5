// sweep.json describes the table of a sweep for programs that show it.
#pragma once

#include <string>

#include "sim/study/sweep/front.h"
#include "sim/study/sweep/sweep_spec.h"
#include "sim/study/sweep/table.h"

namespace kb::sweep {

// docs/guides/sweep.md documents the members. The values of all axes must be known.
std::string render_summary(const SweepSpec& spec, const Table& table, const Front& front);

}  // namespace kb::sweep
