#include "modules/rtl/catalog.h"

#include "modules/rtl/rtl_gemm.h"
#include "modules/rtl/rtl_memory.h"
#include "modules/rtl/rtl_router.h"

namespace kb::modules {

void add_rtl_blocks(elab::BlockCatalog& catalog) {
  catalog.add_block(rtl_gemm_block("rtl.gemm", mac_array_model()));
  catalog.add_block(rtl_router_block("rtl.router", router_model()));
  for (const topology::NodeKind kind : {topology::NodeKind::sram, topology::NodeKind::hbm_ctrl}) {
    catalog.add_block(rtl_memory_block(kind, "rtl.axi_memory", axi_memory_model()));
  }
}

}  // namespace kb::modules
