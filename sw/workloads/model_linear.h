#pragma once

#include "sw/workloads/workload.h"

namespace kb::sw {

// A product of a step of a language model on all PEs of a SIP: kernel norm_linear.
Workload model_linear_workload();

}  // namespace kb::sw
