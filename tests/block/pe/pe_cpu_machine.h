// Common part of the tests of PE_CPU.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/block/pe/pe_machine.h"

namespace kb::test {

inline const char* const kCpu = "sip0.cube0.pe0.pe_cpu";
inline constexpr TimeFs kReady = 1000 * kNs;
// Load of 4096 B from the PE's slice when the memory answers after 100 ns.
inline constexpr TimeFs kLoad = 121 * kNs + 4_fs;

inline contract::Command cycles(std::int64_t n) {
  contract::Command command;
  command.cycles = n;
  command.call = "cycles";
  return command;
}

inline contract::Command load(const contract::IPe& pe, std::uint64_t nbytes, std::uint64_t index = 0) {
  contract::Command command =
      dma(contract::CommandKind::dma_read, {{hbm(0), nbytes}}, {{pe.info().scratch_pa, nbytes}});
  command.call = "load";
  command.call_index = index;
  return command;
}

inline MachineOptions scripted_memory(std::vector<std::pair<std::string, std::string>> set = {}) {
  MachineOptions options;
  options.scripted_memory = true;
  options.set = std::move(set);
  return options;
}

}  // namespace kb::test
