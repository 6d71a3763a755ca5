// A build without Verilator has no implementations with the prefix rtl.
#include "modules/rtl/catalog.h"

namespace kb::modules {

void add_rtl_blocks(elab::BlockCatalog&) {}

}  // namespace kb::modules
