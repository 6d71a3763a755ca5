#pragma once

#include "platform/elab/registry.h"

namespace kb::modules {

// Adds builtin.hbm_ctrl, builtin.sram and builtin.m_cpu.
void add_cube_blocks(elab::BlockRegistry& registry);

}  // namespace kb::modules
