// Transfers to an external memory, and the reports about them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sim/ports/device/device.h"
#include "tests/machine/device/initiators.h"

namespace kb::test {

// YAML of one PE whose HBM slice (or SRAM) is the memory socket "dram".
std::string memory_machine(const std::string& attrs, const std::string& node = "sip0.cube0.hbm_ctrl.pe0");

Transfer make_transfer(bool write, std::uint64_t address, std::size_t bytes, sc_core::sc_time at = {});

// Outcome of a case, to be compared.
struct Outcome {
  std::uint64_t completed = 0;  // end of the last transfer in fs
  std::uint64_t accesses = 0;
  std::uint64_t stall = 0;  // fs
  // Sums of the resource `outside`, in fs.
  std::uint64_t busy = 0, waited_for_accept = 0, waited_for_answer = 0;
  std::int64_t failed = 0;  // transfers with an error response
  bool ok = true;
};

// Makes the memory, and binds it to the device's socket.
using Bind = std::function<std::unique_ptr<sc_core::sc_module>(Device&)>;

// Runs the transfers one after the other. Throws unless each text of `expected` is in the report or in the cause of a
// failed transfer.
Outcome run_memory_case(const std::string& yaml, const std::vector<Transfer>& transfers, const Bind& bind,
                        const std::vector<std::string>& expected = {});

// Calls `run` in a separate process, because SystemC elaborates once per process.
Outcome isolated(const std::function<Outcome()>& run);

}  // namespace kb::test
