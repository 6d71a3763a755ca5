// Splits a physical address range by memory, for initiators of memory requests of any size.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/base/ids.h"
#include "platform/routing/address_resolver.h"

namespace kb::routing {

// The part of an access in one memory.
struct MemoryPart {
  NodeId memory;  // HBM controller, SRAM, or PE_DMA for a TCM
  std::uint64_t pa = 0;
  std::uint64_t hbm_offset = 0;  // in the cube's HBM; 0 for other memories
  std::uint64_t nbytes = 0;
};

// Splits [pa, pa + nbytes) at HBM slice boundaries, in address order. Program Error ADDRESS_ERROR unless the range lies
// in the implemented HBM or SRAM of one cube or in the TCM of one PE.
std::vector<MemoryPart> split_access(const AddressResolver& resolver, std::uint64_t pa, std::uint64_t nbytes);

}  // namespace kb::routing
