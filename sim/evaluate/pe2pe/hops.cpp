#include "sim/evaluate/pe2pe/hops.h"

#include <cmath>
#include <optional>

#include "platform/routing/address_resolver.h"

namespace kb::evaluate {
namespace {

PeCoord pe_at(int sip, int cube, int pe) {
  const auto id = [](int value) { return static_cast<std::uint32_t>(value); };
  return {SipId(id(sip)), CubeId(id(cube)), PeId(id(pe))};
}

// The nearest PE of cube 0 in PE 0's row or column.
std::optional<PeCoord> nearest_beside(const topology::Graph& graph, bool in_row) {
  const routing::AddressResolver resolver(graph);
  const auto position = [&](int pe) {
    return graph.node(resolver.find_pe_node(pe_at(0, 0, pe), topology::NodeKind::pe_dma))
        .pos_mm.value_or(topology::Position{});
  };
  const topology::Position own = position(0);
  std::optional<PeCoord> nearest;
  double least = 0;
  for (int pe = 1; pe < graph.spec.pes_per_cube(); ++pe) {
    const topology::Position other = position(pe);
    const double across = in_row ? other.y - own.y : other.x - own.x;
    const double along = std::abs(in_row ? other.x - own.x : other.y - own.y);
    if (across != 0 || along == 0 || (nearest && along >= least)) continue;
    nearest = pe_at(0, 0, pe);
    least = along;
  }
  return nearest;
}

}  // namespace

std::vector<Hop> pe_hops(const topology::LoadedTopology& machine) {
  const topology::MachineSpec& spec = machine.graph.spec;
  const PeCoord own = pe_at(0, 0, 0);
  std::vector<Hop> hops;
  if (const auto beside = nearest_beside(machine.graph, true)) {
    hops.push_back({"h1", "in a cube, same row", Distance::cube, own, *beside});
  }
  if (const auto below = nearest_beside(machine.graph, false)) {
    hops.push_back({"h2", "in a cube, same column", Distance::cube, own, *below});
  }
  if (spec.cube_mesh_w > 1) hops.push_back({"h3", "to the cube east", Distance::cubes, own, pe_at(0, 1, 0)});
  if (spec.cube_mesh_h > 1) {
    hops.push_back({"h4", "to the cube south", Distance::cubes, own, pe_at(0, spec.cube_mesh_w, 0)});
  }
  if (spec.sip_count > 1) hops.push_back({"h5", "to the next SIP", Distance::sips, own, pe_at(1, 0, 0)});
  return hops;
}

}  // namespace kb::evaluate
