// Names in the collective configuration.
#include "platform/topology/ccl_config.h"

namespace kb::topology {

const std::vector<std::string>& wiring_names() {
  static const std::vector<std::string> names{"intercube_multisip", "intracube_ring", "flat"};
  return names;
}
const std::vector<std::string>& intra_cube_names() {
  static const std::vector<std::string> names{"none", "ring", "mesh"};
  return names;
}
const std::vector<std::string>& rank_topology_names() {
  static const std::vector<std::string> names{
      "none", "ring_1d", "ring_1d_unidir", "torus_2d", "mesh_2d_no_wrap", "mesh_2d", "tree_binary", "hops"};
  return names;
}
const std::vector<std::string>& tile_set_names() {
  static const std::vector<std::string> names{"auto", "cubes", "pes"};
  return names;
}
const std::vector<std::string>& candidate_names() {
  static const std::vector<std::string> names{"ring", "reduce_scatter", "pairwise", "tree", "hierarchical"};
  return names;
}

bool is_two_dimensional(RankTopology topology) {
  return topology == RankTopology::torus_2d || topology == RankTopology::mesh_2d_no_wrap ||
         topology == RankTopology::mesh_2d;
}

}  // namespace kb::topology
