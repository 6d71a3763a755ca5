#pragma once

#include <kernbench/platform/contract/kernel.h>
#include <kernbench/sw/distributed/algorithms.h>

namespace own {

kb::contract::Kernel kernel();
kb::sw::AllReduceAlgorithm algorithm();

}  // namespace own
