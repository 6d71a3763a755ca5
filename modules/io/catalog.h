#pragma once

#include "platform/elab/registry.h"

namespace kb::modules {

// Adds the blocks of the IO chiplet by the `impl` names of the topology: builtin.pcie_ep, builtin.io_cpu.
void add_io_blocks(elab::BlockRegistry& registry);

}  // namespace kb::modules
