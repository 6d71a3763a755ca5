// Converts a generic payload into memory accesses of this machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tlm>
#include <vector>

#include "modules/bridge/address_windows.h"
#include "platform/ops/op_types.h"
#include "platform/routing/memory_split.h"

namespace kb::modules {

// Maximum number of accesses to the bytes of one streaming width; more are refused.
inline constexpr std::uint32_t kMaxRepeats = 4096;

// A transfer with a streaming width below its length is split into several accesses to the same bytes, in order.
struct AccessPlan {
  struct Part {
    std::uint64_t offset = 0;  // relative to the start of one access
    routing::MemoryPart memory;
  };

  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  std::string code;  // reason of a refusal; empty when the transfer is accepted
  std::string message;
  std::vector<Part> parts;    // parts of one access of `width` bytes
  std::uint32_t width = 0;    // bytes of one access
  std::uint32_t length = 0;   // total bytes; the last access may be shorter
  std::uint32_t repeats = 0;  // number of accesses; 0: the transfer has no effect

  bool ok() const { return code.empty(); }
  // Number of bytes of access `index`.
  std::uint32_t bytes_of(std::uint32_t index) const { return std::min(width, length - index * width); }
};

// Refuses with the response of the TLM standard: no data (generic error); byte enables of length 0 or with values other
// than 0x00 and 0xff (byte-enable error); a streaming width of 0 or too many accesses (burst error); bytes outside the
// windows or the machine's memories, or in the TCM that `source`, the entry block, serves itself (address error).
AccessPlan plan_access(const tlm::tlm_generic_payload& payload, const AddressWindows& windows,
                       const routing::AddressResolver& resolver, NodeId source);

// Calls f(offset in the data array, extent) for every contiguous run of enabled bytes of the transfer, in order.
template <typename F>
void for_each_enabled(const tlm::tlm_generic_payload& payload, const AccessPlan& plan, F&& f) {
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  const std::uint32_t period = payload.get_byte_enable_length();
  for (std::uint32_t i = 0; i < plan.repeats; ++i) {
    const std::uint64_t base = std::uint64_t{i} * plan.width;
    for (const AccessPlan::Part& part : plan.parts) {
      const std::uint64_t end = std::min<std::uint64_t>(part.offset + part.memory.nbytes, plan.bytes_of(i));
      std::uint64_t at = part.offset;
      while (at < end) {
        std::uint64_t stop = end;
        if (enables != nullptr) {
          while (at < end && enables[(base + at) % period] == TLM_BYTE_DISABLED) ++at;
          stop = at;
          while (stop < end && enables[(base + stop) % period] != TLM_BYTE_DISABLED) ++stop;
        }
        if (stop > at) f(base + at, Extent{part.memory.pa + (at - part.offset), stop - at});
        at = stop;
      }
    }
  }
}

}  // namespace kb::modules
