// Verilator models of modules/rtl/sv.
#include <Vaxi_memory.h>
#include <Vmac_array.h>
#include <Vrouter.h>

#include "modules/rtl/verilated_axi_memory.h"
#include "modules/rtl/verilated_mac_array.h"
#include "modules/rtl/verilated_router.h"

namespace kb::modules {

RtlMaker<IMacArray> mac_array_model() {
  return VerilatedMacArray<Vmac_array>::maker();
}

RtlMaker<IRouterModel> router_model() {
  return VerilatedRouter<Vrouter>::maker();
}

RtlMaker<IAxiMemory> axi_memory_model() {
  return VerilatedAxiMemory<Vaxi_memory>::maker();
}

}  // namespace kb::modules
