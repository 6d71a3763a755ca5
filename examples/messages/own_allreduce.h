#pragma once

#include <kernbench/platform/contract/i_pe.h>
#include <kernbench/sw/distributed/algorithms.h>

namespace own {

kb::contract::Kernel kernel();
kb::sw::AllReduceAlgorithm algorithm();

}  // namespace own
