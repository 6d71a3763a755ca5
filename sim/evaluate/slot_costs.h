// What a slot of a message ring costs, by the memory that holds it (Q-62 .. Q-65).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/topology/topology.h"

namespace kb::evaluate {

struct SlotCost {
  std::string kind;  // "tcm", "hbm", "sram"
  double setup_ns = 0;
  double bw_gbs = 0;
  double hop_gbs = 0;  // narrowest wire between PE_DMA and the bank; 0 = none

  // One write or one read of a slot.
  double ns(double bytes) const;
  // The bandwidth at which the bytes alone would take this long.
  double bandwidth_gbs() const;
  nlohmann::ordered_json json() const;
};

// Of PE 0 of cube 0 of SIP 0, fastest for large messages first.
std::vector<SlotCost> slot_costs(const topology::LoadedTopology& machine);
// From a data file: an array of json().
std::vector<SlotCost> slot_costs(const nlohmann::ordered_json& data);
const SlotCost& slot_cost(const std::vector<SlotCost>& costs, const std::string& kind);

}  // namespace kb::evaluate
