// AXI4 between kernbench, the manager, and a memory whose RTL is simulated: pins, manager, rules.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "modules/rtl/rtl_model.h"

namespace kb::modules {

// Signals of one clock cycle, as they stand before the edge that ends it. Data signals are not among them, because
// kernbench keeps contents elsewhere; the adapter writes a pattern of the address.
struct AxiManagerPins {
  bool arvalid = false, rready = false, awvalid = false, wvalid = false, wlast = false, bready = false;
  std::uint8_t arid = 0, arlen = 0, awid = 0, awlen = 0;
  std::uint64_t araddr = 0, awaddr = 0, wdata = 0;
};
struct AxiMemoryPins {
  bool arready = false, rvalid = false, rlast = false, awready = false, wready = false, bvalid = false, busy = false;
  std::uint8_t rid = 0, rresp = 0, bid = 0, bresp = 0;
};
// The first signal in which two memories differ; empty when there is none. What is not valid may differ.
std::string difference(const AxiMemoryPins& one, const AxiMemoryPins& other);

// A memory with the ports of modules/rtl/sv/axi_memory.sv.
class IAxiMemory {
 public:
  static constexpr std::uint32_t kBeatBytes = 64;
  struct Straps {  // constant inputs
    std::uint16_t read_latency = 0, write_latency = 0;
  };

  virtual ~IAxiMemory() = default;
  // Two edges with aresetn = 0.
  virtual void reset(const Straps& straps) = 0;
  // The pins of the manager settle; those of the memory then.
  virtual AxiMemoryPins settle(const AxiManagerPins& pins) = 0;
  // The clock rises.
  virtual void rise() = 0;
  // Behind the edge.
  virtual bool busy() = 0;
};

// That of modules/rtl/sv/axi_memory.sv.
RtlMaker<IAxiMemory> axi_memory_model();

// What the manager is to read or write: `token` comes back with each beat or with the answer.
struct AxiBurst {
  std::uint64_t token = 0, address = 0;
  std::uint32_t beats = 1;  // 1 .. 256
};

// The manager. step() says which pins it drives in this cycle, apply() what the edge at its end transfers: no pin
// depends on one of the same cycle, so it can stand in front of any memory.
class AxiManager {
 public:
  void read(const AxiBurst& burst) { reads_.push_back(burst); }
  void write(const AxiBurst& burst) { writes_.push_back(burst); }
  bool idle() const { return reads_.empty() && writes_.empty() && read_open_.empty() && write_open_.empty(); }

  struct Done {
    std::optional<std::uint64_t> read;   // token of the burst whose last beat came
    std::optional<std::uint64_t> write;  // token of the burst that was answered
    bool moved = false;                  // anything was transferred
  };
  AxiManagerPins step() const;
  Done apply(const AxiManagerPins& driven, const AxiMemoryPins& memory);

 private:
  std::deque<AxiBurst> reads_, read_open_;    // whose address has not been taken; which have
  std::deque<AxiBurst> writes_, write_open_;  // likewise
  std::deque<AxiBurst> data_;                 // of write_open_: whose data has not been taken
  std::uint32_t beat_ = 0;                    // of the first of data_
};

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
