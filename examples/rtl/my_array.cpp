// Verilator's headers have a file of their own, because they take SystemC's time where SystemC is included before.
#include "my_array.h"

#include <Vmy_array.h>
#include <kernbench/modules/rtl/verilated_mac_array.h>

kb::modules::RtlMaker<kb::modules::IMacArray> my_array() {
  return kb::modules::VerilatedMacArray<Vmy_array>::maker();
}
