#include "sim/evaluate/pe_dma/scenarios.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/routing/address_resolver.h"
#include "platform/routing/latency.h"
#include "platform/routing/path_router.h"

namespace kb::evaluate {
namespace {

PeCoord at(int sip, int cube, int pe) {
  const auto id = [](int value) { return static_cast<std::uint32_t>(value); };
  return {SipId(id(sip)), CubeId(id(cube)), PeId(id(pe))};
}

class Distances {
 public:
  explicit Distances(const topology::Graph& graph) : graph_(graph), resolver_(graph), router_(graph) {}

  TimeFs between(const PeCoord& issuer, const PeCoord& target) {
    const NodeId source = resolver_.find_pe_node(issuer, topology::NodeKind::pe_dma);
    return routing::path_latency_fs(graph_, router_.find_path(source, resolver_.find_hbm(target)), 0);
  }
  // Nearest first, seen from `from`.
  void sort_by_distance(std::vector<PeCoord>& places, const PeCoord& from) {
    std::stable_sort(places.begin(), places.end(),
                     [&](const PeCoord& a, const PeCoord& b) { return between(from, a) < between(from, b); });
  }

 private:
  const topology::Graph& graph_;
  routing::AddressResolver resolver_;
  routing::PathRouter router_;
};

// Flows into one partition do not overlap.
std::vector<DmaFlow> flows_to(const PeCoord& target, const std::vector<PeCoord>& issuers) {
  std::vector<DmaFlow> flows;
  for (const PeCoord& issuer : issuers) flows.push_back({issuer, target, flows.size() * kDmaBytes});
  return flows;
}

std::vector<PeCoord> pes_of_cube(const topology::MachineSpec& spec, int cube) {
  std::vector<PeCoord> pes;
  for (int pe = 0; pe < spec.pes_per_cube(); ++pe) pes.push_back(at(0, cube, pe));
  return pes;
}

std::vector<PeCoord> pes_of_sip(const topology::MachineSpec& spec) {
  std::vector<PeCoord> all;
  for (int cube = 0; cube < spec.cubes_per_sip(); ++cube) {
    for (const PeCoord& pe : pes_of_cube(spec, cube)) all.push_back(pe);
  }
  return all;
}

void add_single(std::vector<DmaScenario>& list, const topology::MachineSpec& spec, Distances& distances) {
  const PeCoord own = at(0, 0, 0);
  const auto add = [&](const char* name, const PeCoord& target) {
    list.push_back({name, false, flows_to(target, {own})});
  };
  add("SAME_CUBE_PE_LOCAL", own);
  std::vector<PeCoord> others = pes_of_cube(spec, 0);
  others.erase(others.begin());
  distances.sort_by_distance(others, own);
  if (others.size() >= 2) {
    add("SAME_CUBE_PE_REMOTE_BEST", others.front());
    add("SAME_CUBE_PE_REMOTE_WORST", others.back());
  }
  std::vector<PeCoord> cubes;
  for (int cube = 1; cube < spec.cubes_per_sip(); ++cube) cubes.push_back(at(0, cube, 0));
  distances.sort_by_distance(cubes, own);
  if (cubes.size() >= 2) {
    add("REMOTE_CUBE_PE_REMOTE_BEST", cubes.front());
    add("REMOTE_CUBE_PE_REMOTE_WORST", cubes.back());
  }
  if (spec.sip_count > 1) add("REMOTE_SIP", at(1, 0, 0));
}

void add_congested(std::vector<DmaScenario>& list, const topology::MachineSpec& spec, Distances& distances) {
  const PeCoord hot = at(0, 0, 0);
  std::vector<PeCoord> others = pes_of_cube(spec, 0);
  others.erase(others.begin());
  distances.sort_by_distance(others, hot);
  for (std::size_t count = 1; count <= 3 && count <= others.size(); ++count) {
    const std::vector<PeCoord> issuers(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(count));
    list.push_back({fmt::format("ctrl_hot_{}", count), true, flows_to(hot, issuers)});
  }
  if (spec.cube_mesh_w > 1) {
    DmaScenario east{"ucie_eastbound", true, {}};
    for (const PeCoord& pe : pes_of_cube(spec, 0)) {
      east.flows.push_back({pe, at(0, 1, static_cast<int>(pe.pe.value)), 0});
    }
    list.push_back(std::move(east));
  }
  if (spec.pes_per_cube() > 3) list.push_back({"all_pe_cube0_to_pe0", true, flows_to(hot, pes_of_cube(spec, 0))});
  if (spec.cubes_per_sip() > 1) {
    DmaScenario local{"sip_local_all", true, {}};
    for (const PeCoord& pe : pes_of_sip(spec)) local.flows.push_back({pe, pe, 0});
    list.push_back(std::move(local));
    list.push_back({"sip_hotspot_pe0", true, flows_to(hot, pes_of_sip(spec))});
  }
}

}  // namespace

std::vector<DmaScenario> dma_scenarios(const topology::LoadedTopology& machine) {
  Distances distances(machine.graph);
  std::vector<DmaScenario> list;
  add_single(list, machine.graph.spec, distances);
  add_congested(list, machine.graph.spec, distances);
  return list;
}

std::string pe_text(const PeCoord& pe) {
  return fmt::format("sip{}.cube{}.pe{}", pe.sip.value, pe.cube.value, pe.pe.value);
}

}  // namespace kb::evaluate
