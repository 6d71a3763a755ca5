// The models that Verilator makes of modules/rtl/sv.
#include <Vmac_array.h>

#include "modules/rtl/verilated_mac_array.h"

namespace kb::modules {

RtlMaker<IMacArray> mac_array_model() {
  return VerilatedMacArray<Vmac_array>::maker();
}

}  // namespace kb::modules
