#pragma once

#include <kernbench/platform/contract/i_pe.h>
#include <kernbench/sw/workloads/workload.h>

namespace neighbours {

kb::contract::Kernel kernel();
kb::sw::Workload workload();

}  // namespace neighbours
