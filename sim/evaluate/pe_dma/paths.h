// What the topology says about a set of concurrent transfers: peaks (E-52, E-53) and the latency of one alone by parts
// (E-56, E-57).
#pragma once

#include <vector>

#include "platform/routing/address_resolver.h"
#include "platform/routing/path_router.h"
#include "platform/topology/topology.h"
#include "sim/evaluate/pe_dma/scenarios.h"

namespace kb::evaluate {

// Times in ns; their sum is the latency of a transfer that is alone.
struct DmaBreakdown {
  double pe_setup = 0;       // inside the issuing PE; raw transfers begin behind it
  double noc_mesh = 0;       // routers and mesh wires of cubes
  double ucie = 0;           // UCIe endpoints, connections and links of cubes
  double fabric = 0;         // IO chiplets, PCIe, which gathers whole messages, and the switch
  double hbm_ctrl = 0;       // controller and one burst
  double wire_transfer = 0;  // how much later than the first flit the last one comes

  double sum() const { return pe_setup + noc_mesh + ucie + fabric + hbm_ctrl + wire_transfer; }
};

class DmaPaths {
 public:
  // `read`: data comes back over the reverse edges.
  DmaPaths(const topology::LoadedTopology& machine, bool read);

  // Of the narrowest wire that the flow's data takes, in bytes per ns.
  double single_peak(const DmaFlow& flow);
  // Every path gets an equal share of each of its wires; the sum of the paths' smallest shares (E-53).
  double aggregate_peak(const std::vector<DmaFlow>& flows);
  DmaBreakdown breakdown(const DmaFlow& flow, std::uint64_t bytes);

 private:
  const routing::Route& route(const DmaFlow& flow);
  const std::vector<EdgeId>& data_edges(const DmaFlow& flow);

  const topology::Graph& graph_;
  routing::AddressResolver resolver_;
  routing::PathRouter router_;
  bool read_;
};

}  // namespace kb::evaluate
