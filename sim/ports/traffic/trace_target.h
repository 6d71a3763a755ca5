#pragma once

#include <cstdint>
#include <optional>

#include "platform/address/address_config.h"
#include "platform/base/error.h"
#include "platform/topology/machine_spec.h"

namespace kb::sim {

// Decides whether a run of bytes lies inside one HBM slice, cube SRAM or TCM of the machine.
class TraceTarget {
 public:
  explicit TraceTarget(const topology::MachineSpec& spec) : config_(address::AddressConfig::from_spec(spec)) {}

  // What is wrong with the bytes (message and remedy), or nothing. bytes >= 1. `source`: the PE that asks, if it is
  // one; nothing goes over the fabric to its own TCM.
  std::optional<Diagnostic> check(std::uint64_t address, std::uint64_t bytes,
                                  const std::optional<PeCoord>& source = std::nullopt) const;

 private:
  std::optional<Diagnostic> check_slice(const address::PhysAddr& address, std::uint64_t bytes) const;

  address::AddressConfig config_;
};

}  // namespace kb::sim
