#pragma once

#include <kernbench/platform/contract/kernel.h>
#include <kernbench/sw/workloads/workload.h>

namespace chain {

kb::contract::Kernel kernel();
kb::sw::Workload workload();

}  // namespace chain
