#pragma once

#include <string>
#include <vector>

#include "platform/elab/block.h"

namespace kb::sim {

// Explains why kernels that exchange messages wait forever: the cycles of PEs that wait for each other,
// and for other PEs the end of their chain of waits. Empty when no kernel waits for another PE. Lines end with '\n'.
std::string diagnose_deadlock(const std::vector<elab::WaitInfo>& waits);

}  // namespace kb::sim
