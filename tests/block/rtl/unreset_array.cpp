#include "tests/block/rtl/unreset_array.h"

#include <Vunreset_array.h>

#include "modules/rtl/verilated_mac_array.h"

namespace kb::test {

modules::RtlMaker<modules::IMacArray> unreset_array() {
  return modules::VerilatedMacArray<Vunreset_array>::maker();
}

}  // namespace kb::test
