#pragma once

#include "sw/workloads/workload.h"

namespace kb::sw {

Workload topk_routing_workload();

}  // namespace kb::sw
