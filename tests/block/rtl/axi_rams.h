// Memories of tests/block/rtl/axi_ram.sv with various data widths and faults.
#pragma once

#include <cstdint>

#include "modules/rtl/axi.h"

namespace kb::test {

inline constexpr std::uint32_t kRamAddressBits = 14, kRamIdBits = 4;

enum class RamFault : std::uint8_t { none, reads_address_0, drops_a_strobe, swaps_ids };

// `beat_bytes`: 1, 2, 4, .. 64; only the memory with 8 has faults.
modules::RtlMaker<modules::IAxiMemory> axi_ram(std::uint32_t beat_bytes, RamFault fault = RamFault::none);

}  // namespace kb::test
