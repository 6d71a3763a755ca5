// The algorithms behind collectives: which kernel, with which arguments, on which layout (K-44 .. K-48).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "platform/contract/machine_info.h"
#include "platform/topology/ccl_config.h"
#include "sw/runtime/launch.h"
#include "sw/tensor/tensor.h"

namespace kb::sw {

class Runtime;

// One rank's part of an all-reduce.
struct AllReduceCall {
  Tensor tensor;
  std::string op = "sum";
  int rank = 0;  // SIP of the tensor
  int world_size = 1;
  std::int64_t n_elem = 0;     // of a tile
  int cube_w = 1, cube_h = 1;  // of the cubes that take part (K-16)
  int tiles = 1;               // of this rank
  SipTopology sip_topology{};
  int sip_w = 0, sip_h = 0;         // 0, 0 = no grid
  std::int64_t root_cube = -1;      // -1: the algorithm's choice
  std::int64_t chunk_elements = 0;  // per message; 0 = the whole tile
  int grid_w = 0, grid_h = 0;       // of all tiles, of a flat mesh or torus
  bool wrap = false;
  std::string order, links = "hop";  // of algorithms over hops
  std::int64_t ahead = 1;            // of a pairwise exchange: chunks that are sent before the first one is waited for
  bool by_blocks = true;             // of a pairwise exchange
  bool twice = false;                // of a pairwise exchange: two links lead to each rank
};

// Arguments of the kernels over hops.
Args hop_arguments(const AllReduceCall& call);

// Which PEs hold a tile.
enum class TileOwners : std::uint8_t { cubes, pes };  // PE 0 of a cube; every PE

// An implementation that a collective configuration can name as its `module`.
struct AllReduceAlgorithm {
  std::string name;
  std::string kernel;
  TileOwners owners = TileOwners::cubes;
  // What the kernel's directions need of the configuration.
  topology::WiringPreset wiring = topology::WiringPreset::intercube_multisip;
  std::vector<topology::RankTopology> topologies;  // of wiring flat
  topology::IntraCube intra_cube = topology::IntraCube::none;
  std::size_t most_ranks = 0;  // of wiring flat that have the links it needs; 0: any number
  std::function<Args(const AllReduceCall&)> arguments;
};

// What kernels call a SIP topology (K-44).
std::int64_t topology_kind(SipTopology topology);
// sum, max, min, avg. Program Error SCHEMA_ERROR with the nearest name, in words of `call`.
const std::vector<std::string>& reduction_names();
void require_reduction(const std::string& call, const std::string& op);

// The algorithms that configurations can name.
class AllReduceCatalog {
 public:
  AllReduceCatalog();  // the built-in ones

  // One more, e.g. of a plug-in. Program Error SCHEMA_ERROR when the name is taken or something is missing.
  void add(AllReduceAlgorithm algorithm);
  std::vector<std::string> names() const;
  // Configuration Error with the nearest name.
  const AllReduceAlgorithm& find(const std::string& name) const;

 private:
  std::vector<AllReduceAlgorithm> all_;
};
const AllReduceCatalog& built_in_all_reduces();
// Those that the context was given, else the built-in ones.
const AllReduceCatalog& all_reduces_of(const Runtime& runtime);
// Configuration Errors, at the key's place, when `tiles` names other owners than the algorithm's, and when the wiring
// does not have the directions that it uses.
void require_tiles(const AllReduceAlgorithm& algorithm, const topology::CclConfig& config);
void require_wiring(const AllReduceAlgorithm& algorithm, const topology::CclConfig& config);
// Configuration Error when so many ranks of wiring flat are not linked as the algorithm needs.
void require_ranks(const AllReduceAlgorithm& algorithm, const topology::CclConfig& config, int ranks);

}  // namespace kb::sw
