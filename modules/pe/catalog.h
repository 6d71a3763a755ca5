#pragma once

#include "platform/elab/registry.h"

namespace kb::modules {

// Adds builtin.pe_cpu and the other eight blocks of a PE.
void add_pe_blocks(elab::BlockRegistry& registry);

}  // namespace kb::modules
