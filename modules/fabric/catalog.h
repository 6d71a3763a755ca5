#pragma once

#include "platform/elab/registry.h"

namespace kb::modules {

// Adds builtin.forwarding, builtin.switch, builtin.noc and builtin.ucie, which have the same behaviour (T-27).
void add_fabric_blocks(elab::BlockRegistry& registry);

}  // namespace kb::modules
