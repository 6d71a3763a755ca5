#pragma once

#include "platform/contract/i_pe.h"
#include "sw/workloads/workload.h"

namespace chain {

kb::contract::Kernel kernel();
kb::sw::Workload workload();

}  // namespace chain
