// Checks of host requests before injection (H-15). All throw program Errors with the field and the remedy.
#pragma once

#include <cstdint>
#include <string>

#include "platform/contract/data_mode.h"
#include "platform/topology/graph.h"

namespace kb::contract {
class IKernelCatalog;
struct KernelLaunch;
struct MapRequest;
struct MemoryWrite;
}  // namespace kb::contract

namespace kb::sim {

// Checks placement tags, size and source of a memory request. SCHEMA_ERROR for a tag outside the machine, zero bytes, a
// pattern width other than 1, 2, 4, 8, or a buffer that is too short.
void check_memory_request(const topology::MachineSpec& spec, const char* what, const PeCoord& owner,
                          std::uint64_t nbytes);
void check_write_source(const contract::MemoryWrite& request, contract::DataMode mode);
// ADDRESS_ERROR when the address is not in the memory that the request names (dst_mem_kind).
void check_memory_kind(const contract::MemoryWrite& request);

// ADDRESS_ERROR when the placement tag does not match `memory`, where the access begins (H-11).
void check_placement(const topology::Node& memory, const PeCoord& owner, std::uint64_t pa);

// SCHEMA_ERROR for a machine without virtual memory, a tensor without a virtual range, targets outside the machine, and
// a page size that differs from PE_MMU's; ADDRESS_ERROR for a range that does not start at a page, and for entries
// outside it. All messages have tensor, shape and address.
void check_map(const topology::MachineSpec& spec, const contract::MapRequest& request);
std::string mapping_text(const contract::MapRequest& request);  // "map of tensor 'a' f16 (64, 64) at VA 0x100000000"

// SCHEMA_ERROR for empty, unordered or out-of-range cubes and PEs, for arguments that are not bound to the kernel's
// parameters, and for shards without placement; KERNEL_ERROR with the nearest name for an unknown kernel. `kernels` may
// be null: then there are no kernels.
void check_launch(const topology::MachineSpec& spec, const contract::IKernelCatalog* kernels,
                  const contract::KernelLaunch& launch);

}  // namespace kb::sim
