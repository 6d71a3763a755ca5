// The configurable wirings over the PEs of a machine.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platform/base/error.h"
#include "platform/base/ids.h"
#include "sw/distributed/wiring.h"

namespace kb::sw {
namespace {

using topology::IntraCube;
using topology::RankTopology;
using topology::WiringPreset;

struct Layout {
  std::vector<PeCoord> ranks;
  NeighbourFunction neighbours_of;
};

void append(NeighbourTable& table, NeighbourTable more, int scale, int offset) {
  for (Neighbour& neighbour : more) {
    neighbour.rank = neighbour.rank * scale + offset;
    table.push_back(std::move(neighbour));
  }
}

RankTopology of_sips(SipTopology topology) {
  switch (topology) {
    case SipTopology::ring_1d:
      return RankTopology::ring_1d;
    case SipTopology::torus_2d:
      return RankTopology::torus_2d;
    case SipTopology::mesh_2d_no_wrap:
      return RankTopology::mesh_2d_no_wrap;
  }
  throw Error::model("a SIP topology has no neighbours");
}

// K-58. Rank = sip * cubes + cube.
Layout intercube_multisip(const contract::MachineInfo& machine) {
  Layout layout;
  const int cubes = machine.cubes_per_sip;
  for (int sip = 0; sip < machine.sips; ++sip) {
    for (int cube = 0; cube < cubes; ++cube) layout.ranks.push_back(pe_at(sip, cube, 0));
  }
  const RankTopology between = of_sips(machine.sip_topology);
  const RankGrid sip_grid = resolve_grid(between, machine.sips, {machine.sip_w, machine.sip_h}, "SIPs");
  const RankGrid cube_grid{machine.cube_mesh_w, machine.cube_mesh_h};
  layout.neighbours_of = [=, sips = machine.sips](int rank) {
    const int sip = rank / cubes;
    const int cube = rank % cubes;
    NeighbourTable table;
    append(table, neighbours(RankTopology::mesh_2d_no_wrap, cube, cubes, cube_grid), 1, sip * cubes);
    append(table, prefixed(neighbours(between, sip, sips, sip_grid), "global_"), cubes, cube);
    return table;
  };
  return layout;
}

// Neighbours that are equal in every cube; rank = index among all PEs.
NeighbourFunction in_each_cube(const contract::MachineInfo& machine, RankTopology topology, const std::string& prefix) {
  const int pes = machine.pes_per_cube;
  // If the corners are in their usual order, the first half of the PEs is at the cube's north edge and the second half
  // at its south edge.
  const RankGrid rows = pes % 2 == 0 && pes > 2 ? RankGrid{pes / 2, 2} : RankGrid{pes, 1};
  return [=](int rank) {
    NeighbourTable table;
    append(table, prefixed(neighbours(topology, rank % pes, pes, rows), prefix), 1, rank - rank % pes);
    return table;
  };
}

Layout flat(const topology::CclConfig& config, const contract::MachineInfo& machine,
            const NeighbourFunction& supplied) {
  const int pes = machine.sips * machine.cubes_per_sip * machine.pes_per_cube;
  const int count = config.world_size != 0 ? config.world_size : pes;
  if (count > pes) {
    throw Error({config.problem_at("world_size", fmt::format("{} ranks, but the machine has {} PEs", count, pes),
                                   fmt::format("write at most {}", pes))});
  }
  Layout layout{default_rank_map(machine, count), supplied};
  if (config.topology == RankTopology::none) {
    if (supplied) return layout;
    throw Error({config.problem_at("topology", "wiring 'flat' without a topology, and the algorithm brings none",
                                   "write one of ring_1d, ring_1d_unidir, torus_2d, mesh_2d_no_wrap, tree_binary")});
  }
  RankGrid grid;
  try {
    grid = resolve_grid(config.topology, count, {config.w, config.h}, "ranks");
  } catch (const Error& error) {
    throw Error({config.problem_at(config.w != 0 ? "w" : "topology", error.what(), "")});
  }
  layout.neighbours_of = [=, topology = config.topology](int rank) { return neighbours(topology, rank, count, grid); };
  return layout;
}

Layout preset(const topology::CclConfig& config, const contract::MachineInfo& machine,
              const NeighbourFunction& supplied) {
  switch (config.wiring) {
    case WiringPreset::intercube_multisip:
      return intercube_multisip(machine);
    case WiringPreset::intracube_ring:
      return {all_pes(machine), in_each_cube(machine, RankTopology::ring_1d, "")};
    case WiringPreset::flat:
      return flat(config, machine, supplied);
  }
  throw Error::model("a wiring preset is not known");
}

// The links of `base` between its PEs, and `more` between all PEs of the machine.
Layout joined(const Layout& base, const contract::MachineInfo& machine, const NeighbourFunction& more) {
  Layout layout{all_pes(machine), nullptr};
  std::map<PeCoord, int> index;
  for (std::size_t i = 0; i < layout.ranks.size(); ++i) index[layout.ranks[i]] = static_cast<int>(i);
  std::vector<int> to_all;
  std::map<int, int> to_base;
  for (const PeCoord& pe : base.ranks) {
    to_base[index.at(pe)] = static_cast<int>(to_all.size());
    to_all.push_back(index.at(pe));
  }
  layout.neighbours_of = [=, of_base = base.neighbours_of](int rank) {
    NeighbourTable table;
    const auto found = to_base.find(rank);
    if (found != to_base.end()) table = of_base(found->second);
    for (Neighbour& neighbour : table) neighbour.rank = to_all.at(static_cast<std::size_t>(neighbour.rank));
    append(table, more(rank), 1, 0);
    return table;
  };
  return layout;
}

}  // namespace

std::vector<PeCoord> all_pes(const contract::MachineInfo& machine) {
  std::vector<PeCoord> pes;
  for (int sip = 0; sip < machine.sips; ++sip) {
    for (int cube = 0; cube < machine.cubes_per_sip; ++cube) {
      for (int pe = 0; pe < machine.pes_per_cube; ++pe) pes.push_back(pe_at(sip, cube, pe));
    }
  }
  return pes;
}

std::vector<PeCoord> default_rank_map(const contract::MachineInfo& machine, int ranks) {
  std::vector<PeCoord> pes;
  if (ranks <= machine.sips) {
    for (int sip = 0; sip < ranks; ++sip) pes.push_back(pe_at(sip, 0, 0));
    return pes;
  }
  pes = all_pes(machine);
  if (static_cast<std::size_t>(ranks) > pes.size()) {
    throw Error::program("SCHEMA_ERROR", fmt::format("{} ranks, but the machine has {} PEs", ranks, pes.size()));
  }
  pes.resize(static_cast<std::size_t>(ranks));
  return pes;
}

Wiring make_wiring(const topology::CclConfig& config, const contract::MachineInfo& machine,
                   const NeighbourFunction& supplied) {
  if (!config.links.empty()) return wire_links(config.links, machine);
  const Layout base = preset(config, machine, supplied);
  Wiring wiring = wire(base.ranks, base.neighbours_of);
  if (config.intra_cube == IntraCube::none) return wiring;
  const RankTopology inside =
      config.intra_cube == IntraCube::ring ? RankTopology::ring_1d : RankTopology::mesh_2d_no_wrap;
  const Layout layout = joined(base, machine, in_each_cube(machine, inside, "intra_"));
  return wire(layout.ranks, layout.neighbours_of);
}

namespace {

// Two links to every other member, and four to the opposite one.
NeighbourTable linked_with_all(const std::string& prefix, int member, int count) {
  NeighbourTable table;
  for (int d = 1; d <= count / 2; ++d) {
    for (const int label : {d, -d, d + count, -d - count}) {
      table.push_back(
          {fmt::format("{}{:+}", prefix, label), (member + (label > 0 ? d : count - d)) % count, Flow::both});
    }
  }
  return table;
}

}  // namespace

Wiring make_hop_wiring(const std::vector<PeCoord>& ring, Hops hops) {
  const int count = static_cast<int>(ring.size());
  const auto is_power = [](int d) { return (d & (d - 1)) == 0; };
  return wire(ring, [&](int rank) {
    if (count < 2) return NeighbourTable();
    if (hops == Hops::all) return linked_with_all("hop", rank, count);
    NeighbourTable table;
    for (Neighbour& neighbour : neighbours(RankTopology::hops, rank, count)) {
      const int ahead = (neighbour.rank - rank + count) % count, distance = std::min(ahead, count - ahead);
      const bool power = is_power(distance) || is_power(count - distance);
      if (distance == 1 || (hops == Hops::powers_of_two && power)) table.push_back(std::move(neighbour));
    }
    return table;
  });
}

namespace {

// Connects PE 0 of every cube of each SIP with the same cube of the SIPs that `neighbours_of` returns.
Wiring wire_sips(const std::vector<int>& sips, const contract::MachineInfo& machine,
                 const NeighbourFunction& neighbours_of) {
  const int cubes = machine.cubes_per_sip;
  std::vector<PeCoord> ranks;  // member * cubes + cube
  for (const int sip : sips) {
    for (int cube = 0; cube < cubes; ++cube) ranks.push_back(pe_at(sip, cube, 0));
  }
  return wire(ranks, [&](int rank) {
    NeighbourTable table;
    append(table, neighbours_of(rank / cubes), cubes, rank % cubes);
    return table;
  });
}

}  // namespace

Wiring make_group_wiring(const std::vector<int>& sips, const std::string& prefix,
                         const contract::MachineInfo& machine) {
  return wire_sips(sips, machine, [&](int member) {
    return prefixed(neighbours(RankTopology::ring_1d, member, static_cast<int>(sips.size())), prefix);
  });
}

Wiring make_direct_wiring(const std::vector<int>& sips, const std::string& prefix,
                          const contract::MachineInfo& machine) {
  return wire_sips(sips, machine,
                   [&](int member) { return linked_with_all(prefix, member, static_cast<int>(sips.size())); });
}

}  // namespace kb::sw
