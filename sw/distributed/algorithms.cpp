#include "sw/distributed/algorithms.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "sw/distributed/neighbours.h"
#include "sw/runtime/runtime.h"

namespace kb::sw {
namespace {

Args lrab_arguments(const AllReduceCall& call) {
  return {{"t", call.tensor},
          {"n_elem", call.n_elem},
          {"cube_w", call.cube_w},
          {"cube_h", call.cube_h},
          {"n_sips", call.world_size},
          {"sip_rank", call.rank},
          {"sip_topo_kind", topology_kind(call.sip_topology)},
          {"sip_topo_w", call.sip_w},
          {"sip_topo_h", call.sip_h},
          {"op", call.op},
          {"root", call.root_cube},
          {"chunk", call.chunk_elements}};
}

// Ranks of a flat wiring: the tiles of all SIPs, SIP by SIP.
Args flat_arguments(const AllReduceCall& call) {
  return {{"t", call.tensor},
          {"n_elem", call.n_elem},
          {"ranks", call.world_size * call.tiles},
          {"first_rank", call.rank * call.tiles},
          {"op", call.op},
          {"chunk", call.chunk_elements}};
}

Args mesh_arguments(const AllReduceCall& call) {
  Args args = flat_arguments(call);
  args.insert(args.end(), {{"grid_w", call.grid_w}, {"grid_h", call.grid_h}, {"wrap", call.wrap}});
  return args;
}

AllReduceAlgorithm flat(const std::string& name, std::vector<topology::RankTopology> topologies,
                        std::function<Args(const AllReduceCall&)> arguments) {
  AllReduceAlgorithm algorithm;
  algorithm.name = algorithm.kernel = name;
  algorithm.owners = TileOwners::pes;
  algorithm.wiring = topology::WiringPreset::flat;
  algorithm.topologies = std::move(topologies);
  algorithm.arguments = std::move(arguments);
  return algorithm;
}

AllReduceAlgorithm over_hops(const std::string& name, const std::string& kernel) {
  AllReduceAlgorithm algorithm = flat(name, {topology::RankTopology::hops}, hop_arguments);
  algorithm.kernel = kernel;
  return algorithm;
}

}  // namespace

Args hop_arguments(const AllReduceCall& call) {
  Args args = flat_arguments(call);
  args.insert(args.end(), {{"order", call.order},
                           {"links", call.links},
                           {"ahead", call.ahead},
                           {"by_blocks", call.by_blocks ? 1 : 0},
                           {"twice", call.twice ? 1 : 0}});
  return args;
}

std::int64_t topology_kind(SipTopology topology) {
  return static_cast<std::int64_t>(topology);
}

const std::vector<std::string>& reduction_names() {
  static const std::vector<std::string> names{"sum", "max", "min", "avg"};
  return names;
}

void require_reduction(const std::string& call, const std::string& op) {
  const std::vector<std::string>& names = reduction_names();
  if (std::find(names.begin(), names.end(), op) != names.end()) return;
  throw Error::program("SCHEMA_ERROR", fmt::format("{} has no operation '{}'; {}", call, op, suggest(op, names)));
}

AllReduceCatalog::AllReduceCatalog() {
  using topology::RankTopology;
  AllReduceAlgorithm lrab;
  AllReduceAlgorithm pairwise = over_hops("pairwise_allreduce", "hop_pairwise_allreduce");
  pairwise.most_ranks = kMaxPairedRanks;
  lrab.name = "lrab_hierarchical_allreduce";
  lrab.kernel = "lrab_allreduce";
  lrab.arguments = lrab_arguments;
  AllReduceAlgorithm three_level = lrab;
  three_level.name = three_level.kernel = "three_level_allreduce";
  three_level.owners = TileOwners::pes;
  three_level.intra_cube = topology::IntraCube::ring;
  AllReduceAlgorithm automatic = lrab;  // its kernel is replaced by the chosen one
  automatic.name = topology::kDefaultAlgorithm;
  all_ = {automatic,
          lrab,
          three_level,
          flat("ring_allreduce", {RankTopology::ring_1d, RankTopology::ring_1d_unidir}, flat_arguments),
          flat("mesh_allreduce", {RankTopology::torus_2d, RankTopology::mesh_2d_no_wrap, RankTopology::mesh_2d},
               mesh_arguments),
          flat("tree_allreduce", {RankTopology::tree_binary}, flat_arguments),
          over_hops("reduce_scatter_allreduce", "hop_scatter_allreduce"),
          pairwise,
          over_hops("binomial_allreduce", "hop_tree_allreduce")};
}

void AllReduceCatalog::add(AllReduceAlgorithm algorithm) {
  const auto refuse = [&](const std::string& text) {
    throw Error::program("SCHEMA_ERROR", fmt::format("all-reduce algorithm '{}': {}", algorithm.name, text));
  };
  if (algorithm.name.empty() || algorithm.kernel.empty() || !algorithm.arguments) {
    refuse("needs a name, a kernel and a function that makes the kernel's arguments");
  }
  for (const AllReduceAlgorithm& other : all_) {
    if (other.name == algorithm.name) refuse("the name is taken; choose another one");
  }
  all_.push_back(std::move(algorithm));
}

std::vector<std::string> AllReduceCatalog::names() const {
  std::vector<std::string> names;
  for (const AllReduceAlgorithm& algorithm : all_) names.push_back(algorithm.name);
  return names;
}

const AllReduceAlgorithm& AllReduceCatalog::find(const std::string& name) const {
  for (const AllReduceAlgorithm& algorithm : all_) {
    if (algorithm.name == name) return algorithm;
  }
  throw Error::configuration("there is no all-reduce algorithm '" + name + "'; " + suggest(name, names()));
}

const AllReduceCatalog& built_in_all_reduces() {
  static const AllReduceCatalog catalog;
  return catalog;
}

const AllReduceCatalog& all_reduces_of(const Runtime& runtime) {
  const AllReduceCatalog* const given = runtime.all_reduces();
  return given == nullptr ? built_in_all_reduces() : *given;
}

void require_tiles(const AllReduceAlgorithm& algorithm, const topology::CclConfig& config) {
  using topology::TileSet;
  const TileSet own = algorithm.owners == TileOwners::pes ? TileSet::pes : TileSet::cubes;
  if (config.tiles == TileSet::automatic || config.tiles == own) return;
  throw Error({config.problem_at(
      "tiles",
      fmt::format("algorithm '{}' has a tile on {}", config.algorithm,
                  own == TileSet::pes ? "every PE" : "PE 0 of every cube"),
      fmt::format("write '{}', or leave the key out", topology::tile_set_names()[static_cast<std::size_t>(own)]))});
}

namespace {

const char* links_of(topology::WiringPreset wiring) {
  switch (wiring) {
    case topology::WiringPreset::intercube_multisip:
      return "PE 0 of every cube with PE 0 of the cubes and SIPs beside it";
    case topology::WiringPreset::intracube_ring:
      return "the PEs of every cube in a ring of its own";
    case topology::WiringPreset::flat:
      return "all PEs as ranks of a topology";
  }
  return "";
}

std::string one_of(const std::vector<topology::RankTopology>& allowed) {
  std::string remedy;
  for (const topology::RankTopology one : allowed) {
    remedy +=
        (remedy.empty() ? "write '" : " or '") + topology::rank_topology_names()[static_cast<std::size_t>(one)] + "'";
  }
  return remedy;
}

}  // namespace

void require_wiring(const AllReduceAlgorithm& algorithm, const topology::CclConfig& config) {
  const auto wrong = [&](const char* key, const std::string& has, const std::string& remedy,
                         const std::string& why = "") {
    throw Error({config.problem_at(key,
                                   fmt::format("algorithm '{}': {} '{}' does not have the links that {} sends over{}",
                                               config.algorithm, key, has, algorithm.name, why),
                                   remedy)});
  };
  if (config.wiring != algorithm.wiring) {
    const auto& names = topology::wiring_names();
    wrong("wiring", names[static_cast<std::size_t>(config.wiring)],
          fmt::format("write '{}', or 'module: {}' for links without an all-reduce",
                      names[static_cast<std::size_t>(algorithm.wiring)], topology::kLinksOnly),
          fmt::format("; it links {}, the algorithm needs {}", links_of(config.wiring), links_of(algorithm.wiring)));
  }
  const auto& allowed = algorithm.topologies;
  if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), config.topology) == allowed.end()) {
    wrong("topology", topology::rank_topology_names()[static_cast<std::size_t>(config.topology)], one_of(allowed));
  }
  if (algorithm.intra_cube != topology::IntraCube::none && config.intra_cube != algorithm.intra_cube) {
    const auto& names = topology::intra_cube_names();
    wrong("intra_cube", names[static_cast<std::size_t>(config.intra_cube)],
          fmt::format("write '{}'", names[static_cast<std::size_t>(algorithm.intra_cube)]));
  }
}

void require_ranks(const AllReduceAlgorithm& algorithm, const topology::CclConfig& config, int ranks) {
  if (algorithm.most_ranks == 0 || static_cast<std::size_t>(ranks) <= algorithm.most_ranks) return;
  throw Error({config.problem_at(
      "algorithm",
      fmt::format("{} sends from every rank to every other, which '{}' links for up to {} ranks; there are {}",
                  algorithm.name, topology::rank_topology_names()[static_cast<std::size_t>(config.topology)],
                  algorithm.most_ranks, ranks),
      "use reduce_scatter_allreduce, binomial_allreduce or auto")});
}

}  // namespace kb::sw
