// AXI4 between kernbench (the manager) and a memory whose RTL is simulated: pins and protocol rules.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>

#include "modules/rtl/rtl_model.h"

namespace kb::modules {

// Optional signals and widths of the AXI4 port of a memory.
struct AxiPort {
  static constexpr std::uint32_t kMaxBeatBytes = 64;
  static constexpr std::uint32_t kMaxIdBits = 8;

  std::uint32_t beat_bytes = kMaxBeatBytes;  // data width: 1, 2, 4, .. 64
  std::uint32_t address_bits = 64;
  std::uint32_t id_bits = 4;
  std::uint64_t contents_bytes = 0;  // addresses wrap at this size, a power of two; 0: they do not
  bool strobes = false;              // has wstrb, awsize and arsize; without them every beat is complete
  bool busy = true;                  // has the signal busy; without it the clock cannot be stopped safely
};

// Signals of one clock cycle, before the edge that ends it.
struct AxiManagerPins {
  using Beat = std::array<std::uint8_t, AxiPort::kMaxBeatBytes>;  // byte lanes
  static constexpr std::uint8_t kWholeBeat = 6;                   // a beat of 64 bytes

  bool arvalid = false, rready = false, awvalid = false, wvalid = false, wlast = false, bready = false;
  std::uint8_t arid = 0, arlen = 0, arsize = kWholeBeat, awid = 0, awlen = 0, awsize = kWholeBeat;
  std::uint64_t araddr = 0, awaddr = 0, wstrb = 0;
  Beat wdata{};
};
struct AxiMemoryPins {
  bool arready = false, rvalid = false, rlast = false, awready = false, wready = false, bvalid = false, busy = false;
  std::uint8_t rid = 0, rresp = 0, bid = 0, bresp = 0;
  AxiManagerPins::Beat rdata{};  // while rvalid is 1
};
// Name of the first control signal in which two memories differ; null when there is none. Signals that are not valid
// may differ.
const char* difference(const AxiMemoryPins& one, const AxiMemoryPins& other);

class IAxiMemory {
 public:
  struct Straps {  // constant inputs, where the memory has them
    std::uint16_t read_latency = 0, write_latency = 0;
  };

  virtual ~IAxiMemory() = default;
  virtual AxiPort port() const { return {}; }
  // Applies two clock edges in reset.
  virtual void reset(const Straps& straps) = 0;
  // Settles the manager's pins and returns the memory's.
  virtual AxiMemoryPins settle(const AxiManagerPins& pins) = 0;
  // Applies a rising clock edge.
  virtual void rise() = 0;
  // State after the edge; false when the port has no such signal.
  virtual bool busy() = 0;
};

// Creates models of modules/rtl/sv/axi_memory.sv.
RtlMaker<IAxiMemory> axi_memory_model();

// Checks the AXI4 rules for a memory cycle by cycle. A violation is a model Error with the name of the corresponding
// assertion in ARM's protocol checker.
class AxiRules {
 public:
  void check(const AxiManagerPins& manager, const AxiMemoryPins& memory);

 private:
  void check_reads(const AxiManagerPins& manager, const AxiMemoryPins& memory);
  void check_writes(const AxiManagerPins& manager, const AxiMemoryPins& memory);

  AxiMemoryPins before_;  // signals that had to be stable
  bool r_waits_ = false, b_waits_ = false;
  struct Read {
    std::uint8_t id;
    std::uint32_t left;  // remaining beats
  };
  std::deque<Read> reads_;
  std::deque<std::uint8_t> writes_;  // ids in the order of their addresses
  std::size_t answerable_ = 0;       // number of writes whose data was taken
};

}  // namespace kb::modules
