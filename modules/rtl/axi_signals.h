// The pins of an AXI4 memory as SystemC signals.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>

#include "modules/rtl/axi.h"
#include "modules/rtl/pin_clock.h"

namespace kb::modules {

// A signal of 8 to 512 bits with the type that Verilator's --sc uses: std::uint32_t, std::uint64_t, sc_bv<N>.
class DataSignal {
 public:
  virtual ~DataSignal() = default;
  virtual void set(const std::uint8_t* bytes) = 0;
  static std::unique_ptr<DataSignal> make(const char* name, std::uint32_t bytes);
};

// Names are those of AXI4 in lower case. Flags are bool, numbers of up to 32 bits are std::uint32_t, longer ones
// std::uint64_t. Invalid signals keep their values.
class AxiSignals final : public PinClock {
 public:
  AxiSignals(const sc_core::sc_module_name& name, const PinPlace& place, const AxiPort& port, const RtlClock& clock,
             IPinSource& source);

  // Writes the pins before an edge, with busy before it. Called in a SystemC process.
  void show(const AxiManagerPins& manager, const AxiMemoryPins& memory);

 private:
  using Flag = sc_core::sc_signal<bool>;
  using Number = sc_core::sc_signal<std::uint32_t>;
  using Long = sc_core::sc_signal<std::uint64_t>;

  Flag awvalid_{"awvalid"}, awready_{"awready"};
  Number awid_{"awid"}, awlen_{"awlen"}, awsize_{"awsize"}, awburst_{"awburst"};
  Long awaddr_{"awaddr"};
  Flag wvalid_{"wvalid"}, wready_{"wready"}, wlast_{"wlast"};
  Long wstrb_{"wstrb"};
  std::unique_ptr<DataSignal> wdata_;
  Flag bvalid_{"bvalid"}, bready_{"bready"};
  Number bid_{"bid"}, bresp_{"bresp"};
  Flag arvalid_{"arvalid"}, arready_{"arready"};
  Number arid_{"arid"}, arlen_{"arlen"}, arsize_{"arsize"}, arburst_{"arburst"};
  Long araddr_{"araddr"};
  Flag rvalid_{"rvalid"}, rready_{"rready"}, rlast_{"rlast"};
  Number rid_{"rid"}, rresp_{"rresp"};
  std::unique_ptr<DataSignal> rdata_;
  Flag busy_{"busy"};
};

}  // namespace kb::modules
