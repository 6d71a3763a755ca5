// All-reduce algorithms of collectives: kernel, arguments and layout of each (K-44 .. K-48).
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

// The part of one rank in an all-reduce.
struct AllReduceCall {
  Tensor tensor;
  std::string op = "sum";
  int rank = 0;  // SIP of the tensor
  int world_size = 1;
  std::int64_t n_elem = 0;     // elements of a tile
  int cube_w = 1, cube_h = 1;  // grid of participating cubes (K-16)
  int tiles = 1;               // number of tiles of this rank
  SipTopology sip_topology{};
  int sip_w = 0, sip_h = 0;         // 0, 0: no grid
  std::int64_t root_cube = -1;      // -1: the algorithm chooses it
  std::int64_t chunk_elements = 0;  // elements per message; 0 = the whole tile
  int grid_w = 0, grid_h = 0;       // grid of all tiles for a flat mesh or torus
  bool wrap = false;
  std::string order, links = "hop";  // for algorithms over hops
  std::int64_t ahead = 1;            // pairwise exchange: chunks that are sent before the first one is waited for
  bool by_blocks = true;             // pairwise exchange: combine by blocks instead of whole tiles
  bool twice = false;                // pairwise exchange: two links lead to each rank
};

// Arguments of the kernels that use hops.
Args hop_arguments(const AllReduceCall& call);

// The PEs that hold a tile.
enum class TileOwners : std::uint8_t { cubes, pes };  // PE 0 of each cube, or every PE

// An implementation that a collective configuration can select by `module`.
struct AllReduceAlgorithm {
  std::string name;
  std::string kernel;
  TileOwners owners = TileOwners::cubes;
  // Wiring that the kernel's directions require.
  topology::WiringPreset wiring = topology::WiringPreset::intercube_multisip;
  std::vector<topology::RankTopology> topologies;  // for wiring flat
  topology::IntraCube intra_cube = topology::IntraCube::none;
  std::size_t most_ranks = 0;  // for wiring flat: maximum number of ranks that have the required links; 0: any number
  std::function<Args(const AllReduceCall&)> arguments;
};

// Encoding of a SIP topology in kernel arguments (K-44).
std::int64_t topology_kind(SipTopology topology);
// sum, max, min, avg. Program Error SCHEMA_ERROR with the nearest name; the message begins with `call`.
const std::vector<std::string>& reduction_names();
void require_reduction(const std::string& call, const std::string& op);

// The algorithms that configurations can select.
class AllReduceCatalog {
 public:
  AllReduceCatalog();  // contains the built-in ones

  // Adds an algorithm, for example of a plug-in. Program Error SCHEMA_ERROR when the name is taken or a member is
  // missing.
  void add(AllReduceAlgorithm algorithm);
  std::vector<std::string> names() const;
  // Configuration Error with the nearest name when it is unknown.
  const AllReduceAlgorithm& find(const std::string& name) const;

 private:
  std::vector<AllReduceAlgorithm> all_;
};
const AllReduceCatalog& built_in_all_reduces();
// The algorithms of the runtime context, or else the built-in ones.
const AllReduceCatalog& all_reduces_of(const Runtime& runtime);
// Configuration Errors at the key's position: when `tiles` requests other owners than the algorithm's, and when the
// wiring does not have the directions that it uses.
void require_tiles(const AllReduceAlgorithm& algorithm, const topology::CclConfig& config);
void require_wiring(const AllReduceAlgorithm& algorithm, const topology::CclConfig& config);
// Configuration Error when this number of ranks of wiring flat does not have the links that the algorithm needs.
void require_ranks(const AllReduceAlgorithm& algorithm, const topology::CclConfig& config, int ranks);

}  // namespace kb::sw
