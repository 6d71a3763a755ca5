#pragma once

#include <kernbench/platform/contract/kernel.h>
#include <kernbench/sw/workloads/workload.h>

namespace neighbours {

kb::contract::Kernel kernel();
kb::sw::Workload workload();

}  // namespace neighbours
