#include "sim/evaluate/slot_costs.h"

#include <algorithm>

#include "platform/base/error.h"
#include "platform/params/pe_ipcq_params.h"
#include "platform/routing/address_resolver.h"
#include "platform/routing/latency.h"
#include "platform/routing/path_router.h"

namespace kb::evaluate {
namespace {

using topology::NodeKind;

double time_per_byte(const SlotCost& cost) {
  return (cost.bw_gbs > 0 ? 1 / cost.bw_gbs : 0) + (cost.hop_gbs > 0 ? 1 / cost.hop_gbs : 0);
}

}  // namespace

double SlotCost::ns(double bytes) const {
  return setup_ns + bytes * time_per_byte(*this);
}

double SlotCost::bandwidth_gbs() const {
  const double per_byte = time_per_byte(*this);
  return per_byte > 0 ? 1 / per_byte : 0;
}

nlohmann::ordered_json SlotCost::json() const {
  return {{"kind", kind}, {"setup_ns", setup_ns}, {"bw_gbs", bw_gbs}, {"hop_gbs", hop_gbs}};
}

std::vector<SlotCost> slot_costs(const topology::LoadedTopology& machine) {
  const topology::Graph& graph = machine.graph;
  const routing::AddressResolver resolver(graph);
  routing::PathRouter router(graph);
  const PeCoord pe{SipId(0), CubeId(0), PeId(0)};
  const auto& queues = graph.node(resolver.find_pe_node(pe, NodeKind::pe_ipcq)).params.as<params::PeIpcqParams>();
  const NodeId dma = resolver.find_pe_node(pe, NodeKind::pe_dma);
  std::vector<SlotCost> costs;
  for (const auto& [kind, slot] : {std::pair("tcm", queues.tcm_slot()), std::pair("hbm", queues.hbm_slot()),
                                   std::pair("sram", queues.sram_slot())}) {
    const std::string name(kind);
    SlotCost cost{name, slot.setup.ns, slot.bw.gbs, 0};
    if (name == "hbm") {
      cost.hop_gbs = routing::narrowest_gbs(graph, router.find_path(dma, resolver.find_hbm(pe)));
    } else if (name == "sram") {
      cost.hop_gbs = routing::narrowest_gbs(graph, router.find_path(dma, resolver.find_sram(pe.sip, pe.cube)));
    }
    costs.push_back(cost);
  }
  return costs;
}

std::vector<SlotCost> slot_costs(const nlohmann::ordered_json& data) {
  std::vector<SlotCost> costs;
  for (const nlohmann::ordered_json& one : data) {
    costs.push_back({one.at("kind").get<std::string>(), one.at("setup_ns").get<double>(),
                     one.at("bw_gbs").get<double>(), one.at("hop_gbs").get<double>()});
  }
  return costs;
}

const SlotCost& slot_cost(const std::vector<SlotCost>& costs, const std::string& kind) {
  const auto found = std::find_if(costs.begin(), costs.end(), [&](const SlotCost& c) { return c.kind == kind; });
  if (found == costs.end()) throw Error::configuration("no memory of message rings is called " + kind);
  return *found;
}

}  // namespace kb::evaluate
