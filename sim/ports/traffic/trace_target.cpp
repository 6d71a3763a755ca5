#include "sim/ports/traffic/trace_target.h"

#include "platform/address/phys_addr.h"
#include "platform/base/units.h"

namespace kb::sim {
namespace {

Diagnostic finding(std::string message, std::string remedy) {
  Diagnostic diagnostic;
  diagnostic.message = std::move(message);
  diagnostic.remedy = std::move(remedy);
  return diagnostic;
}

}  // namespace

std::optional<Diagnostic> TraceTarget::check(std::uint64_t address, std::uint64_t bytes,
                                             const std::optional<PeCoord>& source) const {
  constexpr const char* kRemedy = "name memory that the machine has; 'kernbench topology' shows it";
  const address::AddressFields fields = address::decode_fields(address);
  if (fields.fault != address::AddressFault::none) {
    return finding("no valid address: " + address::describe_fault(fields), kRemedy);
  }
  const address::PhysAddr target = address::PhysAddr::decode(address);
  if (!target.is_hbm() && !target.is_sram() && !target.is_tcm()) {
    return finding(target.to_string() + " is neither HBM nor cube SRAM nor the TCM of a PE",
                   "transactions go to HBM, SRAM or TCM");
  }
  if (bytes > config_.hbm_bytes_per_cube && bytes > config_.sram_bytes_per_cube && bytes > config_.tcm_bytes_per_pe) {
    return finding("no memory of a cube holds " + std::to_string(bytes) + " bytes", kRemedy);
  }
  if (const auto problem = config_.capacity_problem(target, bytes)) return finding(*problem, kRemedy);
  if (target.is_tcm() && source == PeCoord{target.sip(), target.cube(), target.pe()}) {
    return finding(target.to_string() + " is the TCM of the PE that asks, to which no transaction leaves it",
                   "name the TCM of another PE, or measure a kernel");
  }
  return target.is_hbm() ? check_slice(target, bytes) : std::nullopt;
}

std::optional<Diagnostic> TraceTarget::check_slice(const address::PhysAddr& address, std::uint64_t bytes) const {
  const std::uint64_t slice = config_.hbm_slice_bytes;
  const std::uint64_t first = address.hbm_offset() / slice;
  const std::uint64_t last = (address.hbm_offset() + bytes - 1) / slice;
  if (first == last) return std::nullopt;
  return finding(std::to_string(bytes) + " bytes from " + address.to_string() + " cross from the HBM slice of pe" +
                     std::to_string(first) + " into that of pe" + std::to_string(last),
                 "split the row at multiples of the slice size, " + kb::format_bytes(slice));
}

}  // namespace kb::sim
