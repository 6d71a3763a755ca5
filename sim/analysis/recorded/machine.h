// The machine of a recorded run, for drawing and roofs.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/analysis/recorded/nodes.h"

namespace kb::analysis {

class Machine {
 public:
  struct Wire {
    std::string from, to, kind;
    double gbs = 0;  // 0: unlimited
  };
  struct Node : NodeEntry {
    double x = 0, y = 0;  // mm, position in the cube
    bool placed = false;
    std::string attributes = "{}";  // attributes of its block as JSON
  };

  // An engine of a PE.
  struct Engine {
    std::string name, node, stage, label, sentence, phrase, colour;
    std::string unit;  // unit that the rate counts
    double operations_per_unit = 1;
    // JSON: units per ns, a number or a mapping by dtype; null when the file does not have it.
    std::string rate = "null";
  };

  // `topology` is the output of `kernbench topology --json`. Configuration Error that names `file` when it is not.
  Machine(const nlohmann::ordered_json& topology, const std::string& file);

  const std::map<std::string, std::int64_t>& kinds() const { return kinds_; }
  // How many it has of the parts that a user knows, in words: {"cubes", 16}, {"IO chiplet", 1}.
  std::vector<std::pair<std::string, std::int64_t>> counts() const;
  // GB/s of the wire between two nodes, and of a pseudo-channel; 0 when unknown.
  double wire_gbs(const std::string& from, const std::string& to) const;
  // Edge kind ("router_mesh"); empty when there is no such wire.
  std::string wire_kind(const std::string& from, const std::string& to) const;
  double channel_gbs() const { return channel_gbs_; }
  std::int64_t channels_per_slice() const { return channels_; }
  // GB/s of the wire from an HBM slice to its router, with the efficiency of the HBM; 0 when unknown.
  double slice_gbs() const { return slice_gbs_; }
  // GB/s between PE_FETCH_STORE and the TCM: of the port or of their wire, whichever is narrower; 0 when unknown.
  double fetch_gbs() const { return fetch_gbs_; }
  double store_gbs() const { return store_gbs_; }

  // Null when there is no such node.
  const Node* find(const std::string& id) const;
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Wire>& wires() const { return wires_; }
  std::int64_t mesh_width() const { return mesh_w_; }
  // In mm; 0 when unknown.
  double cube_width() const { return cube_w_; }
  double cube_height() const { return cube_h_; }
  // In the order of their rows. Files of earlier versions have none; then the built-in engines.
  const std::vector<Engine>& engines() const { return engines_; }

  // The contents of the topology file as JSON; empty when unknown.
  const std::string& spec() const { return spec_; }

  // JSON with the mesh of cubes in a SIP, the positions of PEs in a cube, wires between cubes and IO chiplets, and the
  // engines of a PE.
  std::string overview() const;
  // JSON with kind and attributes of a node, and the wires that begin or end at it; empty when there is no such node.
  std::string block(const std::string& id) const;
  // JSON with the nodes of a part, and all wires with an end there.
  std::string part(const Scope& part) const;

 private:
  void read_node(const nlohmann::ordered_json& entry, const std::string& file);
  void read_rates(const nlohmann::ordered_json& spec);
  void read_engines(const nlohmann::ordered_json& topology);

  std::map<std::string, std::int64_t> kinds_;
  std::vector<Node> nodes_;
  std::vector<Wire> wires_;
  std::map<std::string, std::size_t> wire_of_;  // key: "from to"
  std::map<std::string, std::size_t> node_of_;  // key: id
  double cube_w_ = 0, cube_h_ = 0;
  std::int64_t mesh_w_ = 0, mesh_h_ = 0, channels_ = 0;
  double channel_gbs_ = 0, slice_gbs_ = 0, fetch_gbs_ = 0, store_gbs_ = 0;
  std::string spec_;
  std::vector<Engine> engines_;
};

}  // namespace kb::analysis
