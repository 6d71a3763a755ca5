#include "sw/runtime/device_memory.h"

#include <fmt/format.h>

#include <set>

#include "platform/base/error.h"
#include "platform/base/names.h"
#include "platform/base/units.h"
#include "platform/contract/tensor_layout.h"

namespace kb::sw {
namespace {

// Name of a memory, and the remedy when it is full.
struct MemoryText {
  std::string place;
  std::string remedy;
};

MemoryText memory_text(const address::AddressConfig& machine, MemoryKind memory, const PeCoord& owner) {
  switch (memory) {
    case MemoryKind::hbm:
      return {"that HBM slice", "make the tensor smaller, split it over more PEs or drop tensors first"};
    case MemoryKind::sram:
      return {fmt::format("the SRAM of {}, {} shared by its PEs,", cube_name(owner.sip, owner.cube),
                          format_bytes(machine.sram_bytes_per_cube)),
              "make the tensor smaller, split it over more cubes, drop tensors first or put some into hbm"};
    case MemoryKind::tcm:
      return {fmt::format("its TCM of {}, of which kernel scratch takes {} and the scheduler {},",
                          format_bytes(machine.tcm_bytes_per_pe), format_bytes(machine.tcm_kernel_scratch_bytes),
                          format_bytes(machine.tcm_scheduler_reserved_bytes)),
              "make the tensor smaller, split it over more PEs, put it into sram or hbm, or change "
              "cube.memory_map.tcm_size_mb or tcm_kernel_scratch_bytes"};
  }
  throw Error::model("a kind of memory has no name");
}

Error allocation_error(const std::string& tensor, const ShardSpec& shard, const MemoryText& text,
                       const address::FreeList& memory) {
  return Error::program(
      "ALLOCATION_ERROR",
      fmt::format("tensor '{}': its shard at {} needs {}, but {} has {} free, {} of it in one "
                  "piece; {}",
                  tensor, pe_name(shard.owner), format_size(shard.nbytes), text.place, format_size(memory.free_bytes()),
                  format_size(memory.largest_free_block()), text.remedy));
}

}  // namespace

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
  config.tcm_scheduler_reserved_bytes = machine.tcm_reserved_bytes;
  config.sram_bytes_per_cube = machine.sram_bytes;
  return config;
}

// The free lists; reservations hold only weak references.
struct MemoryReservation::Banks {
  explicit Banks(address::AddressConfig machine) : config(std::move(machine)) {}

  address::PeAllocator& of_pe(const PeCoord& pe) {
    std::unique_ptr<address::PeAllocator>& slot = pes[pe];
    if (!slot) slot = std::make_unique<address::PeAllocator>(config, pe);
    return *slot;
  }
  address::SramAllocator& of_cube(const PeCoord& pe) {
    std::unique_ptr<address::SramAllocator>& slot = cubes[{pe.sip, pe.cube}];
    if (!slot) slot = std::make_unique<address::SramAllocator>(config, pe.sip, pe.cube);
    return *slot;
  }
  const address::FreeList& list(QueueMemory memory, const PeCoord& owner) {
    if (memory == QueueMemory::sram) return of_cube(owner).list();
    return memory == QueueMemory::tcm ? of_pe(owner).tcm() : of_pe(owner).hbm();
  }
  address::PhysAddr alloc(QueueMemory memory, const PeCoord& owner, std::int64_t nbytes) {
    if (memory == QueueMemory::sram) return of_cube(owner).alloc(nbytes);
    return memory == QueueMemory::tcm ? of_pe(owner).alloc_tcm(nbytes) : of_pe(owner).alloc_hbm(nbytes);
  }
  void free(QueueMemory memory, const Block& block) {
    const address::PhysAddr at = address::PhysAddr::decode(block.pa);
    const auto nbytes = static_cast<std::int64_t>(block.nbytes);
    if (memory == QueueMemory::sram) return of_cube(block.owner).free(at, nbytes);
    if (memory == QueueMemory::tcm) return of_pe(block.owner).free_tcm(at, nbytes);
    of_pe(block.owner).free_hbm(at, nbytes);
  }

  address::AddressConfig config;
  std::map<PeCoord, std::unique_ptr<address::PeAllocator>> pes;
  std::map<std::pair<SipId, CubeId>, std::unique_ptr<address::SramAllocator>> cubes;
};

MemoryReservation& MemoryReservation::operator=(MemoryReservation&& other) noexcept {
  if (this == &other) return *this;
  release();
  banks_ = std::move(other.banks_);
  memory_ = other.memory_;
  blocks_ = std::move(other.blocks_);
  other.blocks_.clear();
  return *this;
}

void MemoryReservation::release() noexcept {
  if (const std::shared_ptr<Banks> banks = banks_.lock()) {
    for (const Block& block : blocks_) banks->free(memory_, block);
  }
  banks_.reset();
  blocks_.clear();
}

DeviceMemory::DeviceMemory(const contract::MachineInfo& machine)
    : banks_(std::make_shared<MemoryReservation::Banks>(address_config(machine))) {}

std::vector<contract::Shard> DeviceMemory::allocate(const std::string& tensor, const std::vector<ShardSpec>& placement,
                                                    MemoryKind memory) {
  std::vector<contract::Shard> shards;
  shards.reserve(placement.size());
  std::map<std::pair<CubeId, std::uint64_t>, std::uint64_t> in_cube;  // SRAM: address by cube and offset
  for (const ShardSpec& spec : placement) {
    if (memory == MemoryKind::sram) {
      const auto copy = in_cube.find({spec.owner.cube, spec.offset_bytes});
      if (copy != in_cube.end()) {
        shards.push_back({spec.owner, copy->second, spec.nbytes, spec.offset_bytes});
        continue;
      }
    }
    const address::FreeList& list = banks_->list(memory, spec.owner);
    if (list.largest_free_block() < spec.nbytes) {
      const Error error = allocation_error(tensor, spec, memory_text(banks_->config, memory, spec.owner), list);
      free(shards, memory);
      throw error;
    }
    const address::PhysAddr address = banks_->alloc(memory, spec.owner, static_cast<std::int64_t>(spec.nbytes));
    if (memory == MemoryKind::sram) in_cube[{spec.owner.cube, spec.offset_bytes}] = address.value();
    shards.push_back({spec.owner, address.value(), spec.nbytes, spec.offset_bytes});
  }
  return shards;
}

void DeviceMemory::free(const std::vector<contract::Shard>& shards, MemoryKind memory) {
  std::set<std::uint64_t> freed;
  for (const contract::Shard& shard : shards) {
    if (memory == MemoryKind::sram && !freed.insert(shard.pa).second) continue;
    banks_->free(memory, {shard.owner, shard.pa, shard.nbytes});
  }
}

std::optional<DeviceMemory::Shortage> DeviceMemory::shortage(QueueMemory memory, const std::vector<Request>& requests) {
  for (const Request& request : requests) {
    const address::FreeList& list = banks_->list(memory, request.owner);
    if (request.nbytes <= list.largest_free_block()) continue;
    return Shortage{request, list.free_bytes(), list.largest_free_block(), list.free_bytes() + list.used_bytes()};
  }
  return std::nullopt;
}

MemoryReservation DeviceMemory::reserve(QueueMemory memory, const std::vector<Request>& requests) {
  MemoryReservation reservation;
  reservation.banks_ = banks_;
  reservation.memory_ = memory;
  for (const Request& request : requests) {
    const address::PhysAddr at = banks_->alloc(memory, request.owner, static_cast<std::int64_t>(request.nbytes));
    PeCoord owner = request.owner;
    if (memory == QueueMemory::sram) owner.pe = PeId();
    reservation.blocks_.push_back({owner, at.value(), request.nbytes});
  }
  return reservation;
}

std::uint64_t DeviceMemory::free_bytes(const PeCoord& pe, MemoryKind memory) const {
  return banks_->list(memory, pe).free_bytes();
}

bool DeviceMemory::pristine() const {
  for (const auto& [pe, memory] : banks_->pes) {
    if (!memory->pristine()) return false;
  }
  for (const auto& [cube, memory] : banks_->cubes) {
    if (!memory->list().pristine()) return false;
  }
  return true;
}

}  // namespace kb::sw
