// In a build without Verilator no name that begins with rtl. is known.
#include "modules/rtl/catalog.h"

namespace kb::modules {

void add_rtl_blocks(elab::BlockCatalog&) {}

}  // namespace kb::modules
