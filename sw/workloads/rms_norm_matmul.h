#pragma once

#include "sw/workloads/workload.h"

namespace kb::sw {

Workload rms_norm_matmul_workload();

}  // namespace kb::sw
