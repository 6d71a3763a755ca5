// What the kernels of a run waited for, by line and tensor.
#pragma once

#include <vector>

#include "sim/run/driver/run_record.h"
#include "sim/study/why/measure.h"

namespace kb::why {

// Calls that the kernels waited for while nothing computed, and tensors that other PEs' memories gave: those with at
// least 1 % of the kernels' time, longest first. Empty when no account was kept.
std::vector<CodeUse> code_use(const sim::RunRecord& record);

}  // namespace kb::why
