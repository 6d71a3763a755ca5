#pragma once

#include "platform/elab/registry.h"

namespace kb::modules {

// Adds rtl.gemm, rtl.router and rtl.axi_memory; adds no block when kernbench is built without Verilator (KB_RTL).
void add_rtl_blocks(elab::BlockCatalog& catalog);

}  // namespace kb::modules
