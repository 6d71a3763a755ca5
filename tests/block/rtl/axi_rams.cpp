#include "tests/block/rtl/axi_rams.h"

#include <Vaxi_ram128.h>
#include <Vaxi_ram16.h>
#include <Vaxi_ram256.h>
#include <Vaxi_ram32.h>
#include <Vaxi_ram512.h>
#include <Vaxi_ram64.h>
#include <Vaxi_ram64_fault1.h>
#include <Vaxi_ram64_fault2.h>
#include <Vaxi_ram64_fault3.h>
#include <Vaxi_ram8.h>

#include "modules/rtl/verilated_axi_ram.h"

namespace kb::test {

namespace {
template <typename Verilated>
modules::RtlMaker<modules::IAxiMemory> ram() {
  return modules::VerilatedAxiRam<Verilated, kRamAddressBits, kRamIdBits>::maker();
}
}  // namespace

modules::RtlMaker<modules::IAxiMemory> axi_ram(std::uint32_t beat_bytes, RamFault fault) {
  if (fault == RamFault::reads_address_0) return ram<Vaxi_ram64_fault1>();
  if (fault == RamFault::drops_a_strobe) return ram<Vaxi_ram64_fault2>();
  if (fault == RamFault::swaps_ids) return ram<Vaxi_ram64_fault3>();
  switch (beat_bytes) {
    case 1:
      return ram<Vaxi_ram8>();
    case 2:
      return ram<Vaxi_ram16>();
    case 4:
      return ram<Vaxi_ram32>();
    case 8:
      return ram<Vaxi_ram64>();
    case 16:
      return ram<Vaxi_ram128>();
    case 32:
      return ram<Vaxi_ram256>();
    default:
      return ram<Vaxi_ram512>();
  }
}

}  // namespace kb::test
