#include "modules/rtl/catalog.h"

#include "modules/rtl/rtl_gemm.h"

namespace kb::modules {

void add_rtl_blocks(elab::BlockCatalog& catalog) {
  catalog.add_block(rtl_gemm_block("rtl.gemm", mac_array_model()));
}

}  // namespace kb::modules
