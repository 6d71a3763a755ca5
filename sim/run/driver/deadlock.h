#pragma once

#include <string>
#include <vector>

#include "platform/elab/block.h"

namespace kb::sim {

// Why kernels that exchange messages wait forever: the PEs that wait for each other in a cycle, or,
// for the others, at whom the chain of waiting ends. Empty when no kernel waits for another PE. Lines end with '\n'.
std::string diagnose_deadlock(const std::vector<elab::WaitInfo>& waits);

}  // namespace kb::sim
