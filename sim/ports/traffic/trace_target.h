#pragma once

#include <cstdint>
#include <optional>

#include "platform/address/address_config.h"
#include "platform/base/error.h"
#include "platform/topology/machine_spec.h"

namespace kb::sim {

// Checks whether a range of bytes is inside one HBM slice, cube SRAM or TCM of the machine.
class TraceTarget {
 public:
  explicit TraceTarget(const topology::MachineSpec& spec) : config_(address::AddressConfig::from_spec(spec)) {}

  // Message and remedy for an invalid range; no value when it is valid. bytes >= 1. `source` is the requesting PE, if
  // any; its own TCM is not accessible over the fabric.
  std::optional<Diagnostic> check(std::uint64_t address, std::uint64_t bytes,
                                  const std::optional<PeCoord>& source = std::nullopt) const;

 private:
  std::optional<Diagnostic> check_slice(const address::PhysAddr& address, std::uint64_t bytes) const;

  address::AddressConfig config_;
};

}  // namespace kb::sim
