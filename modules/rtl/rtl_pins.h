// Pins of blocks whose RTL is simulated, as waveforms: a group `pins` beside the signals of the block.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/pe/probe.h"
#include "modules/rtl/axi.h"
#include "modules/rtl/mac_array.h"
#include "modules/rtl/router_model.h"

namespace kb::modules {

// A change stands at the edge that sees it: an input at the edge that samples it, an output at the edge behind which
// the RTL shows it. Words keep their value while they are not valid. What the edges after the last one would show, when
// the clock stands still, is shown at the first of them.
class RouterPins {
 public:
  // `neighbours` of the ports of the RTL.
  RouterPins(contract::ISignalObserver& observer, const std::string& node, const std::vector<std::string>& neighbours);

  void edge(TimeFs at, const IRouterModel::Inputs& in, const IRouterModel::Outputs& out);
  // No edge follows that has anything to sample.
  void rest(TimeFs at);

 private:
  Probe in_valid_, in_taken_, out_valid_, out_ready_, busy_;
  std::vector<Probe> in_flit_, out_flit_;
};

// As they stand before the edge that ends a cycle; busy as it stands behind it.
class AxiPins {
 public:
  AxiPins(contract::ISignalObserver& observer, const std::string& node);

  void edge(TimeFs at, const AxiManagerPins& manager, const AxiMemoryPins& memory, bool busy);
  void rest(TimeFs at);

 private:
  Probe arvalid_, arready_, araddr_, arlen_, rvalid_, rready_, rlast_;
  Probe awvalid_, awready_, awaddr_, awlen_, wvalid_, wready_, wlast_, bvalid_, bready_, busy_;
};

// A product whose cycles are known is not clocked again: busy and the inputs of `start` are shown, and how many cycles
// the array is busy.
class MacPins {
 public:
  MacPins(contract::ISignalObserver& observer, const std::string& node);

  // The array takes `start` at this edge.
  void product(TimeFs edge, TimeFs time, std::int64_t m, std::int64_t k, std::int64_t n, std::int64_t cycles);

 private:
  Probe busy_, m_blocks_, n_blocks_, k_, cycles_;
};

}  // namespace kb::modules
