#include "sw/runtime/device.h"

#include <fmt/format.h>

#include <charconv>

#include "platform/base/error.h"

namespace kb::sw {

std::vector<int> parse_device(const std::string& device, const contract::MachineInfo& machine) {
  if (device == "all") {
    std::vector<int> sips(static_cast<std::size_t>(machine.sips));
    for (int sip = 0; sip < machine.sips; ++sip) sips[static_cast<std::size_t>(sip)] = sip;
    return sips;
  }
  constexpr std::size_t kPrefix = 4;  // "sip:"
  int sip = -1;
  const char* const end = device.data() + device.size();
  const bool prefixed = device.compare(0, kPrefix, "sip:") == 0 && device.size() > kPrefix;
  const auto parsed = prefixed ? std::from_chars(device.data() + kPrefix, end, sip) : std::from_chars_result{};
  if (!prefixed || parsed.ec != std::errc{} || parsed.ptr != end || sip < 0) {
    throw Error::configuration(fmt::format("--device {}: write 'all' or 'sip:N', e.g. 'sip:0'", device));
  }
  if (sip >= machine.sips) {
    throw Error::configuration(fmt::format("--device {}: the machine has {} SIP{} (sip:0 to sip:{})", device,
                                           machine.sips, machine.sips == 1 ? "" : "s", machine.sips - 1));
  }
  return {sip};
}

}  // namespace kb::sw
