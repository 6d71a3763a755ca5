#include "sw/runtime/device_memory.h"

#include <fmt/format.h>

#include "platform/base/error.h"
#include "platform/base/names.h"
#include "platform/base/units.h"

namespace kb::sw {
namespace {

address::AddressConfig address_config(const contract::MachineInfo& machine) {
  address::AddressConfig config;
  config.sips = static_cast<std::uint32_t>(machine.sips);
  config.cubes_per_sip = static_cast<std::uint32_t>(machine.cubes_per_sip);
  config.pes_per_cube = static_cast<std::uint32_t>(machine.pes_per_cube);
  config.hbm_slice_bytes = machine.hbm_slice_bytes;
  config.hbm_bytes_per_cube = machine.hbm_slice_bytes * static_cast<std::uint64_t>(machine.pes_per_cube);
  config.hbm_alignment = machine.hbm_alignment;
  config.tcm_bytes_per_pe = machine.tcm_bytes;
  config.tcm_kernel_scratch_bytes = machine.scratch_bytes;
  return config;
}

Error allocation_error(const std::string& tensor, const ShardSpec& shard, const address::FreeList& memory) {
  return Error::program(
      "ALLOCATION_ERROR",
      fmt::format("tensor '{}': its shard at {} needs {}, but that HBM slice has {} free, {} of it in one "
                  "piece; make the tensor smaller, split it over more PEs or drop tensors first",
                  tensor, pe_name(shard.owner), format_bytes(shard.nbytes), format_bytes(memory.free_bytes()),
                  format_bytes(memory.largest_free_block())));
}

}  // namespace

DeviceMemory::DeviceMemory(const contract::MachineInfo& machine) : config_(address_config(machine)) {}

address::PeAllocator& DeviceMemory::allocator(const PeCoord& pe) {
  std::unique_ptr<address::PeAllocator>& slot = allocators_[pe];
  if (!slot) slot = std::make_unique<address::PeAllocator>(config_, pe);
  return *slot;
}

std::vector<contract::Shard> DeviceMemory::allocate(const std::string& tensor,
                                                    const std::vector<ShardSpec>& placement) {
  std::vector<contract::Shard> shards;
  shards.reserve(placement.size());
  for (const ShardSpec& spec : placement) {
    address::PeAllocator& memory = allocator(spec.owner);
    if (memory.hbm().largest_free_block() < spec.nbytes) {
      const Error error = allocation_error(tensor, spec, memory.hbm());
      free(shards);
      throw error;
    }
    const address::PhysAddr address = memory.alloc_hbm(static_cast<std::int64_t>(spec.nbytes));
    shards.push_back({spec.owner, address.value(), spec.nbytes, spec.offset_bytes});
  }
  return shards;
}

void DeviceMemory::free(const std::vector<contract::Shard>& shards) {
  for (const contract::Shard& shard : shards) {
    allocator(shard.owner).free_hbm(address::PhysAddr::decode(shard.pa), static_cast<std::int64_t>(shard.nbytes));
  }
}

std::uint64_t DeviceMemory::free_bytes(const PeCoord& pe) const {
  const auto found = allocators_.find(pe);
  return found == allocators_.end() ? config_.hbm_slice_bytes : found->second->hbm().free_bytes();
}

bool DeviceMemory::pristine() const {
  for (const auto& [pe, memory] : allocators_) {
    if (!memory->pristine()) return false;
  }
  return true;
}

}  // namespace kb::sw
