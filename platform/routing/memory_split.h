// Which memories a physical address range touches, for those who send memory requests of any size.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/base/ids.h"
#include "platform/routing/address_resolver.h"

namespace kb::routing {

// The part of an access that one memory node serves.
struct MemoryPart {
  NodeId memory;  // HBM controller, SRAM, or PE_DMA for a TCM
  std::uint64_t pa = 0;
  std::uint64_t hbm_offset = 0;  // in the cube's HBM; 0 for others
  std::uint64_t nbytes = 0;
};

// Splits [pa, pa + nbytes) at the slice boundaries of the cube's HBM, in address order. Program Error ADDRESS_ERROR
// when the range is not in one cube's implemented HBM or SRAM or one PE's TCM.
std::vector<MemoryPart> split_access(const AddressResolver& resolver, std::uint64_t pa, std::uint64_t nbytes);

}  // namespace kb::routing
