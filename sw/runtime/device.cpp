#include "sw/runtime/device.h"

#include <fmt/format.h>

#include <cstdint>

#include "platform/base/error.h"
#include "platform/base/whole_number.h"

namespace kb::sw {

std::vector<int> parse_device(const std::string& device, const contract::MachineInfo& machine) {
  if (device == "all") {
    std::vector<int> sips(static_cast<std::size_t>(machine.sips));
    for (int sip = 0; sip < machine.sips; ++sip) sips[static_cast<std::size_t>(sip)] = sip;
    return sips;
  }
  constexpr std::size_t kPrefix = 4;  // "sip:"
  std::uint64_t sip = 0;
  const bool prefixed = device.compare(0, kPrefix, "sip:") == 0;
  const std::errc error = prefixed ? parse_whole(device.substr(kPrefix), sip) : std::errc::invalid_argument;
  if (error == std::errc::invalid_argument) {
    throw Error::configuration(fmt::format("--device {}: write 'all' or 'sip:N', e.g. 'sip:0'", device));
  }
  if (error != std::errc{} || sip >= static_cast<std::uint64_t>(machine.sips)) {
    throw Error::configuration(fmt::format("--device {}: the machine has {} SIP{} (sip:0 to sip:{})", device,
                                           machine.sips, machine.sips == 1 ? "" : "s", machine.sips - 1));
  }
  return {static_cast<int>(sip)};
}

}  // namespace kb::sw
