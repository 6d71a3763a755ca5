#pragma once

#include "sim/cli/program.h"
#include "sim/cli/workload_library.h"
#include "sim/study/sweep/point_runner.h"

namespace kb::cli {

// What points of sweeps and evaluations choose from; `library` must outlive it.
sweep::Catalogs catalogs_of(const WorkloadLibrary& library, const Program& program);

}  // namespace kb::cli
