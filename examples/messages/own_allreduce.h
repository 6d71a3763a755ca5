#pragma once

#include "platform/contract/i_pe.h"
#include "sw/distributed/algorithms.h"

namespace own {

kb::contract::Kernel kernel();
kb::sw::AllReduceAlgorithm algorithm();

}  // namespace own
