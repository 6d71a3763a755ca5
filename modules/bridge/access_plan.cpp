#include "modules/bridge/access_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"

namespace kb::modules {
namespace {

void refuse(AccessPlan& plan, tlm::tlm_response_status status, const char* code, std::string message) {
  plan.status = status;
  plan.code = code;
  plan.message = std::move(message);
}

bool check_attributes(const tlm::tlm_generic_payload& payload, AccessPlan& plan) {
  if (plan.length == 0 || payload.get_data_ptr() == nullptr) {
    refuse(plan, tlm::TLM_GENERIC_ERROR_RESPONSE, "SCHEMA_ERROR",
           plan.length == 0 ? "its data length is 0; a transfer has at least one byte" : "it has no data pointer");
    return false;
  }
  if (const unsigned char* const enables = payload.get_byte_enable_ptr(); enables != nullptr) {
    const std::uint32_t period = payload.get_byte_enable_length();
    const auto odd = std::find_if(enables, enables + period, [](unsigned char value) {
      return value != TLM_BYTE_ENABLED && value != TLM_BYTE_DISABLED;
    });
    if (period == 0 || odd != enables + period) {
      refuse(plan, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, "SCHEMA_ERROR",
             period == 0 ? "its byte enables have length 0"
                         : fmt::format("byte enable {} is {:#x}; it has to be 0 or 0xff", odd - enables, *odd));
      return false;
    }
  }
  const std::uint32_t width = payload.get_streaming_width();
  if (width == 0) {
    refuse(plan, tlm::TLM_BURST_ERROR_RESPONSE, "SCHEMA_ERROR",
           "its streaming width is 0; without streaming it equals the data length");
    return false;
  }
  plan.width = std::min(width, plan.length);
  const std::uint32_t repeats = (plan.length - 1) / plan.width + 1;
  if (repeats > kMaxRepeats) {
    refuse(plan, tlm::TLM_BURST_ERROR_RESPONSE, "SCHEMA_ERROR",
           fmt::format("{} bytes in a streaming width of {} are {} accesses; at most {} are served", plan.length,
                       plan.width, repeats, kMaxRepeats));
    return false;
  }
  plan.repeats = repeats;
  return true;
}

void find_memories(const tlm::tlm_generic_payload& payload, const AddressWindows& windows,
                   const routing::AddressResolver& resolver, NodeId source, AccessPlan& plan) {
  std::uint64_t covered = 0;
  for (const AddressWindows::Piece& piece : windows.find(payload.get_address(), plan.width)) {
    std::uint64_t offset = piece.offset;
    for (const routing::MemoryPart& part : routing::split_access(resolver, piece.pa, piece.nbytes)) {
      if (part.memory == source) {
        refuse(plan, tlm::TLM_ADDRESS_ERROR_RESPONSE, "ADDRESS_ERROR",
               fmt::format("address {:#x} is in the TCM behind this socket, to which no way leads from here; use the "
                           "socket of another node",
                           payload.get_address() + offset));
        return;
      }
      plan.parts.push_back({offset, part});
      offset += part.nbytes;
    }
    covered = offset;
  }
  if (covered == plan.width) return;
  refuse(plan, tlm::TLM_ADDRESS_ERROR_RESPONSE, "ADDRESS_ERROR",
         fmt::format("address {:#x} lies in no window; the windows are {}", payload.get_address() + covered,
                     windows.text()));
}

}  // namespace

AccessPlan plan_access(const tlm::tlm_generic_payload& payload, const AddressWindows& windows,
                       const routing::AddressResolver& resolver, NodeId source) {
  AccessPlan plan;
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return plan;
  plan.length = payload.get_data_length();
  if (!check_attributes(payload, plan)) return plan;
  try {
    find_memories(payload, windows, resolver, source, plan);
  } catch (const Error& error) {
    if (error.family() != ErrorFamily::program) throw;
    refuse(plan, tlm::TLM_ADDRESS_ERROR_RESPONSE, error.code().c_str(), error.what());
  }
  if (!plan.ok()) plan.repeats = 0;
  return plan;
}

}  // namespace kb::modules
