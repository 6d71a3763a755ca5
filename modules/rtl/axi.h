// AXI4 between kernbench, the manager, and a memory whose RTL is simulated: pins and rules.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>

#include "modules/rtl/rtl_model.h"

namespace kb::modules {

// The AXI4 port of a memory: which signals it has, and how wide they are.
struct AxiPort {
  static constexpr std::uint32_t kMaxBeatBytes = 64;
  static constexpr std::uint32_t kMaxIdBits = 8;

  std::uint32_t beat_bytes = kMaxBeatBytes;  // width of the data: 1, 2, 4, .. 64
  std::uint32_t address_bits = 64;
  std::uint32_t id_bits = 4;
  std::uint64_t contents_bytes = 0;  // addresses beyond begin again at 0; a power of two, 0: none do
  bool strobes = false;              // wstrb, awsize and arsize are there; without them every beat is whole
  bool busy = true;                  // busy is there; without it nobody knows when the clock may stand still
};

// Signals of one clock cycle, as they stand before the edge that ends it.
struct AxiManagerPins {
  using Beat = std::array<std::uint8_t, AxiPort::kMaxBeatBytes>;  // byte lanes
  static constexpr std::uint8_t kWholeBeat = 6;                   // of 64 bytes

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
// The first signal in which two memories differ, data left out; null when there is none. What is not valid may differ.
const char* difference(const AxiMemoryPins& one, const AxiMemoryPins& other);

class IAxiMemory {
 public:
  struct Straps {  // constant inputs, where the memory has them
    std::uint16_t read_latency = 0, write_latency = 0;
  };

  virtual ~IAxiMemory() = default;
  virtual AxiPort port() const { return {}; }
  // Two edges in reset.
  virtual void reset(const Straps& straps) = 0;
  // The pins of the manager settle; those of the memory then.
  virtual AxiMemoryPins settle(const AxiManagerPins& pins) = 0;
  // The clock rises.
  virtual void rise() = 0;
  // After the edge; false where the port has no such signal.
  virtual bool busy() = 0;
};

// The model of modules/rtl/sv/axi_memory.sv.
RtlMaker<IAxiMemory> axi_memory_model();

// What AXI4 asks of a memory, cycle by cycle: a model Error with the name of the assertion that ARM's protocol checker
// has for it.
class AxiRules {
 public:
  void check(const AxiManagerPins& manager, const AxiMemoryPins& memory);

 private:
  void check_reads(const AxiManagerPins& manager, const AxiMemoryPins& memory);
  void check_writes(const AxiManagerPins& manager, const AxiMemoryPins& memory);

  AxiMemoryPins before_;  // what had to stay as it was
  bool r_waits_ = false, b_waits_ = false;
  struct Read {
    std::uint8_t id;
    std::uint32_t left;  // beats
  };
  std::deque<Read> reads_;
  std::deque<std::uint8_t> writes_;  // ids, in the order of their addresses
  std::size_t answerable_ = 0;       // of them, whose data was taken
};

}  // namespace kb::modules
