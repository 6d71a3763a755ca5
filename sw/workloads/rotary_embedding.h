#pragma once

#include "sw/workloads/workload.h"

namespace kb::sw {

Workload rotary_embedding_workload();

}  // namespace kb::sw
