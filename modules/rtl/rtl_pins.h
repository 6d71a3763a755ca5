// Pins of RTL blocks as waveforms, in a group `pins` at the block.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/pe/probe.h"
#include "modules/rtl/axi.h"
#include "modules/rtl/mac_array.h"
#include "modules/rtl/router_model.h"

namespace kb::modules {

// A change is shown at the edge where it takes effect: an input at the edge that samples it, an output at the edge
// after which the RTL drives it. Words keep their values while they are invalid. When the clock is stopped, the changes
// of the omitted edges are shown at the first of them.
class RouterPins {
 public:
  // `neighbours` are the names of the RTL's ports, relative to the router's cube.
  RouterPins(contract::ISignalObserver& observer, const std::string& node, const std::vector<std::string>& neighbours);

  void edge(TimeFs at, const IRouterModel::Inputs& in, const IRouterModel::Outputs& out);
  // The clock stops: no further edge samples an input.
  void rest(TimeFs at);

 private:
  Probe in_valid_, in_taken_, out_valid_, out_ready_, busy_;
  std::vector<Probe> in_flit_, out_flit_;
};

// Shows the pins before the edge that ends a cycle, and busy after it.
class AxiPins {
 public:
  AxiPins(contract::ISignalObserver& observer, const std::string& node);

  void edge(TimeFs at, const AxiManagerPins& manager, const AxiMemoryPins& memory, bool busy);
  void rest(TimeFs at);

 private:
  Probe arvalid_, arready_, araddr_, arlen_, rvalid_, rready_, rlast_;
  Probe awvalid_, awready_, awaddr_, awlen_, wvalid_, wready_, wlast_, bvalid_, bready_, busy_;
};

// A product with a known cycle count is not clocked again: the pins show busy, the inputs of `start`, and the number of
// busy cycles.
class MacPins {
 public:
  MacPins(contract::ISignalObserver& observer, const std::string& node);

  // The array takes `start` at this edge.
  void product(TimeFs edge, TimeFs time, std::int64_t m, std::int64_t k, std::int64_t n, std::int64_t cycles);

 private:
  Probe busy_, m_blocks_, n_blocks_, k_, cycles_;
};

}  // namespace kb::modules
