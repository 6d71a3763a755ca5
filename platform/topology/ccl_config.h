// The collective configuration file: algorithm, wiring of the PEs, and properties of their queues (K-5..K-8, Q-22).
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

enum class IntraCube { none, ring, mesh };  // intra_* links between the PEs of every cube, in addition to the preset
enum class WiringPreset { intercube_multisip, intracube_ring, flat };
enum class TileSet { automatic, cubes, pes };  // PEs that hold a tile in an automatically chosen all-reduce
// Neighbour generators (Q-85..Q-92); mesh_2d is a deprecated name of torus_2d.
enum class RankTopology { none, ring_1d, ring_1d_unidir, torus_2d, mesh_2d_no_wrap, mesh_2d, tree_binary, hops };

const std::vector<std::string>& wiring_names();  // lists of names in the order of their enum
const std::vector<std::string>& intra_cube_names();
const std::vector<std::string>& rank_topology_names();
const std::vector<std::string>& tile_set_names();
const std::vector<std::string>& candidate_names();  // algorithms that `auto` chooses from
bool is_two_dimensional(RankTopology topology);     // true when the ranks form a grid

inline constexpr char kCclFile[] = "ccl.yaml";
inline constexpr char kDefaultAlgorithm[] = "auto";
inline constexpr char kLinksOnly[] = "none";  // as a module: links for the user's own kernels, without an all-reduce
// Built-in configuration: one entry per algorithm of kernbench.
extern const char kBuiltInCcl[];

// Effective configuration of one algorithm: `defaults` overlaid by its entry. Field names are the keys.
struct CclConfig {
  std::string algorithm = kDefaultAlgorithm;
  std::string module = kDefaultAlgorithm;  // name of the implementation
  QueueMemory buffer_kind = QueueMemory::tcm;
  Backpressure backpressure = Backpressure::sleep;
  std::uint32_t n_slots = 4;
  std::uint64_t slot_size = 0;        // bytes; 0 = derived from the memory for rings
  std::uint64_t vc_chunk_size = 256;  // bytes
  std::uint64_t ipcq_credit_size_bytes = 16;
  TimeFs ipcq_poll = 1_ns;  // ipcq_poll_ns
  QueueTransport credit = QueueTransport::annotated;
  QueueTransport slot_access = QueueTransport::annotated;
  WiringPreset wiring = WiringPreset::intercube_multisip;
  IntraCube intra_cube = IntraCube::none;
  // topology of the ranks of `flat`; none: the algorithm defines the neighbours
  RankTopology topology = RankTopology::none;
  int w = 0, h = 0;         // grid of a 2-D topology; 0, 0 = square
  int world_size = 0;       // 0 = derived from the machine (K-13)
  std::int64_t n_elem = 8;  // for the built-in workload
  TileSet tiles = TileSet::automatic;
  std::vector<CclLink> links;           // for `module: none`, which has no wiring
  std::vector<std::size_t> candidates;  // for `auto`: indices into candidate_names()

  std::string file;                           // "" = built-in defaults
  std::string sha256;                         // hash of the file's bytes
  std::vector<std::string> algorithms;        // entries of the file in order, then the built-in entry if it was chosen
  std::map<std::string, ConfigValue> values;  // by key: effective value and origin
  std::map<std::string, Diagnostic> places;   // by key: position of the effective value
  std::vector<Diagnostic> warnings;

  bool links_only() const { return module == kLinksOnly; }
  // Diagnostic for a problem that depends on the machine, at the position of `key`'s value.
  Diagnostic problem_at(const std::string& key, const std::string& message, const std::string& remedy) const;
};

struct CclOptions {
  std::string file;       // "" = ccl.yaml in the working directory (K-7), or else the built-in defaults
  std::string algorithm;  // entry to use instead of defaults.algorithm
  std::vector<std::pair<std::string, std::string>> overrides;  // dotted keys ("defaults.n_slots", "8"), as for load()
  std::vector<std::string> modules;                            // known implementation names; empty = accept any
};

// Reads, checks and merges the configuration. All entries are checked, not only the chosen one. Configuration Error
// with all problems, each with file, line, column and key (K-6).
CclConfig load_ccl(const CclOptions& options = {});
// Like load_ccl(), but from text; `name` stands for the file in messages.
CclConfig load_ccl_text(const std::string& text, const std::string& name, const CclOptions& options = {});

// True when the file looks like a collective configuration: a mapping with one of its sections at the top level.
bool is_ccl_file(const std::string& file);

}  // namespace kb::topology
