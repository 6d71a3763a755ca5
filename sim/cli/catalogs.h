#pragma once

#include "sim/cli/program.h"
#include "sim/cli/workload_library.h"
#include "sim/study/sweep/point_runner.h"

namespace kb::cli {

// Catalogs for the points of sweeps and evaluations; `library` must outlive the result.
sweep::Catalogs catalogs_of(const WorkloadLibrary& library, const Program& program);

}  // namespace kb::cli
