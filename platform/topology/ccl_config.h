// The collective configuration file: which algorithm, how PEs are wired, what their queues are like (K-5..K-8, Q-22).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/error.h"
#include "platform/base/machine_choices.h"
#include "platform/base/units.h"
#include "platform/topology/ccl_link.h"
#include "platform/topology/topology.h"

namespace kb::topology {

enum class IntraCube { none, ring, mesh };  // intra_* links between the PEs of every cube, beside the preset
enum class WiringPreset { intercube_multisip, intracube_ring, flat };
enum class TileSet { automatic, cubes, pes };  // which PEs hold a tile of an all-reduce that is chosen
// Neighbour generators (Q-85..Q-92); mesh_2d is the old name of torus_2d.
enum class RankTopology { none, ring_1d, ring_1d_unidir, torus_2d, mesh_2d_no_wrap, mesh_2d, tree_binary, hops };

const std::vector<std::string>& wiring_names();  // each in the order of its enum
const std::vector<std::string>& intra_cube_names();
const std::vector<std::string>& rank_topology_names();
const std::vector<std::string>& tile_set_names();
const std::vector<std::string>& candidate_names();  // of algorithms that `auto` chooses from
bool is_two_dimensional(RankTopology topology);     // its ranks form a grid

inline constexpr char kCclFile[] = "ccl.yaml";
inline constexpr char kDefaultAlgorithm[] = "auto";
inline constexpr char kLinksOnly[] = "none";  // as a module: links for kernels of one's own, no all-reduce
// What holds without a file: one entry per algorithm that comes with kernbench.
extern const char kBuiltInCcl[];

// The effective configuration of one algorithm: `defaults` overlaid by its entry. Field names are the keys.
struct CclConfig {
  std::string algorithm = kDefaultAlgorithm;
  std::string module = kDefaultAlgorithm;  // the name of its implementation
  QueueMemory buffer_kind = QueueMemory::tcm;
  Backpressure backpressure = Backpressure::sleep;
  std::uint32_t n_slots = 4;
  std::uint64_t slot_size = 0;        // bytes; 0 = chosen from the room for rings
  std::uint64_t vc_chunk_size = 256;  // bytes
  std::uint64_t ipcq_credit_size_bytes = 16;
  TimeFs ipcq_poll = 1_ns;  // ipcq_poll_ns
  QueueTransport credit = QueueTransport::annotated;
  QueueTransport slot_access = QueueTransport::annotated;
  WiringPreset wiring = WiringPreset::intercube_multisip;
  IntraCube intra_cube = IntraCube::none;
  RankTopology topology = RankTopology::none;  // of the ranks of `flat`; none: the algorithm brings its neighbours
  int w = 0, h = 0;                            // grid of a 2-D topology; 0, 0 = the square
  int world_size = 0;                          // 0 = as the machine (K-13)
  std::int64_t n_elem = 8;                     // of the stock workload
  TileSet tiles = TileSet::automatic;
  std::vector<CclLink> links;           // of `module: none`: these, and no wiring
  std::vector<std::size_t> candidates;  // indices of candidate_names(); of `auto`

  std::string file;                           // "" = built-in defaults
  std::string sha256;                         // of the file's bytes
  std::vector<std::string> algorithms;        // entries of the file, in its order, and the built-in one that was chosen
  std::map<std::string, ConfigValue> values;  // by key: effective value and origin
  std::map<std::string, Diagnostic> places;   // by key: where its effective value stands
  std::vector<Diagnostic> warnings;

  bool links_only() const { return module == kLinksOnly; }
  // A problem that only the machine shows, at the place of `key`'s value.
  Diagnostic problem_at(const std::string& key, const std::string& message, const std::string& remedy) const;
};

struct CclOptions {
  std::string file;       // "" = ccl.yaml of the working directory (K-7), else the built-in defaults
  std::string algorithm;  // an entry to use instead of defaults.algorithm
  std::vector<std::pair<std::string, std::string>> overrides;  // dotted keys ("defaults.n_slots", "8"), as of load()
  std::vector<std::string> modules;                            // names of implementations; empty = any is accepted
};

// Reads, checks and merges. Every entry is checked, not only the chosen one. Throws a configuration Error that lists
// every problem at once, each with file, line, column and key (K-6).
CclConfig load_ccl(const CclOptions& options = {});
// The same from text; `name` stands for the file in messages.
CclConfig load_ccl_text(const std::string& text, const std::string& name, const CclOptions& options = {});

// True when the file is meant as a collective configuration: a mapping with one of its sections at the top.
bool is_ccl_file(const std::string& file);

}  // namespace kb::topology
