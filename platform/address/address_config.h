// Memory capacities of one machine, and the check of addresses against them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platform/address/phys_addr.h"
#include "platform/topology/machine_spec.h"

namespace kb::address {

// Partition of a PE's TCM: [allocatable | kernel scratch | scheduler reserved] (P-48). Offsets count from the TCM's
// base.
struct TcmPartition {
  std::uint64_t allocatable_bytes = 0;  // begins at offset 0
  std::uint64_t scratch_offset = 0;
  std::uint64_t scratch_bytes = 0;
  std::uint64_t reserved_offset = 0;
  std::uint64_t reserved_bytes = 0;

  // Configuration Error when the two fixed parts exceed the TCM.
  static TcmPartition make(std::uint64_t tcm_bytes, std::uint64_t scratch_bytes, std::uint64_t reserved_bytes);
};

struct AddressConfig {
  std::uint32_t sips = 1;
  std::uint32_t cubes_per_sip = 1;
  std::uint32_t pes_per_cube = 1;
  std::uint32_t chiplets_per_sip = 1;
  std::uint64_t hbm_bytes_per_cube = 0;
  std::uint64_t hbm_slice_bytes = 0;
  std::uint64_t tcm_bytes_per_pe = 0;
  std::uint64_t tcm_scheduler_reserved_bytes = 0;
  std::uint64_t tcm_kernel_scratch_bytes = 0;
  std::uint64_t sram_bytes_per_cube = 0;
  // The start and the size of every block are multiples of these.
  std::uint64_t hbm_alignment = 256;
  std::uint64_t tcm_alignment = 16;
  std::uint64_t sram_alignment = 16;

  static AddressConfig from_spec(const topology::MachineSpec& spec);

  TcmPartition tcm_partition() const;  // errors are those of TcmPartition::make()
  std::uint64_t tcm_allocatable_bytes() const { return tcm_partition().allocatable_bytes; }

  // Describes why [address, address + nbytes) is not implemented memory of this machine: the die, PE or byte does not
  // exist. Returns no value when all of it exists.
  std::optional<std::string> capacity_problem(const PhysAddr& address, std::uint64_t nbytes = 1) const;
  // Throws capacity_problem() as program Error ADDRESS_ERROR.
  void require_implemented(const PhysAddr& address, std::uint64_t nbytes = 1) const;
};

}  // namespace kb::address
