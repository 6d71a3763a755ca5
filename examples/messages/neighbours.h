#pragma once

#include "platform/contract/i_pe.h"
#include "sw/benches/bench.h"

namespace neighbours {

kb::contract::Kernel kernel();
kb::sw::Bench bench();

}  // namespace neighbours
