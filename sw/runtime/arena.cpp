#include "sw/runtime/arena.h"

#include <fmt/format.h>

#include <utility>

#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "platform/base/names.h"
#include "platform/contract/tensor_layout.h"

namespace kb::sw {

Arena::Arena(DeviceMemory& memory, const contract::MachineInfo& machine, SipId sip, std::uint64_t slice_bytes)
    : sip_(sip), slice_bytes_(slice_bytes) {
  std::vector<DeviceMemory::Request> requests;
  for (int cube = 0; cube < machine.cubes_per_sip; ++cube) {
    for (int pe = 0; pe < machine.pes_per_cube; ++pe) {
      requests.push_back(
          {{sip, CubeId(static_cast<std::uint32_t>(cube)), PeId(static_cast<std::uint32_t>(pe))}, slice_bytes});
    }
  }
  if (const auto shortage = memory.shortage(QueueMemory::hbm, requests)) {
    throw Error::program("ALLOCATION_ERROR",
                         fmt::format("an arena of {} in each HBM slice does not fit: {} has {} free, {} in one piece",
                                     format_bytes(slice_bytes), pe_name(shortage->request.owner),
                                     format_bytes(shortage->free_bytes), format_bytes(shortage->largest_free_block)));
  }
  reservation_ = memory.reserve(QueueMemory::hbm, requests);
  for (const MemoryReservation::Block& block : reservation_.blocks()) bases_[block.owner] = block.pa;
  const auto offset = [](std::uint64_t pa) { return address::PhysAddr::decode(pa).hbm_offset(); };
  const std::uint64_t slice = machine.hbm_slice_bytes;
  for (const auto& [pe, base] : bases_) {
    if (offset(base) % slice == offset(bases_.begin()->second) % slice) continue;
    throw Error::program("ALLOCATION_ERROR",
                         fmt::format("an arena needs the same offset in all HBM slices, but other tensors of the "
                                     "program are in the way on {}; make the arena first",
                                     pe_name(pe)));
  }
}

std::vector<contract::Shard> Arena::place(const std::string& tensor, const std::vector<ShardSpec>& placement,
                                          std::uint64_t offset) const {
  std::vector<contract::Shard> shards;
  shards.reserve(placement.size());
  for (const ShardSpec& spec : placement) {
    if (offset > slice_bytes_ || spec.nbytes > slice_bytes_ - offset) {
      throw Error::program("ALLOCATION_ERROR",
                           fmt::format("tensor '{}' takes bytes {} to {} of {}, but its arena has {}", tensor, offset,
                                       offset + spec.nbytes, pe_name(spec.owner), slice_bytes_));
    }
    shards.push_back({spec.owner, bases_.at(spec.owner) + offset, spec.nbytes, spec.offset_bytes});
  }
  return shards;
}

}  // namespace kb::sw
