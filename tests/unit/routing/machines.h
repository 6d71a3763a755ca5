// Machines for the routing tests: real ones from topology text, and irregular random fabrics.
#pragma once

#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/topology/topology.h"

namespace kb::test {

// `sips` SIPs of w x h cubes with 8 PEs (2 per corner); everything else at its default.
inline topology::Graph reference_like(int sips, int w, int h, const std::string& more = "") {
  const std::string text = "system:\n  sips: { count: " + std::to_string(sips) + ", topology: ring_1d }\n" +
                           "sip:\n  cube_mesh: { w: " + std::to_string(w) + ", h: " + std::to_string(h) + " }\n" +
                           "cube:\n  pe_layout: { corners: [NW, NE, SW, SE], pe_per_corner: 2 }\n" + more;
  return topology::load_text(text, "test machine").graph;
}

inline NodeId node(const topology::Graph& graph, const std::string& id) {
  const auto found = graph.find_node(id);
  if (!found) throw std::runtime_error("no node " + id);
  return *found;
}

inline std::vector<std::string> names(const topology::Graph& graph, const std::vector<NodeId>& nodes) {
  std::vector<std::string> result;
  for (NodeId id : nodes) result.push_back(graph.node(id).id);
  return result;
}

// A graph built node by node and link by link. Routes minimise the distance unless the test changes that.
class Sketch {
 public:
  explicit Sketch(int sips = 1);
  // The node's place follows from its name: "sip0.cube1.pe2.pe_dma".
  NodeId add(const std::string& id, topology::NodeKind kind, std::optional<topology::Position> pos = std::nullopt);
  void edge(NodeId from, NodeId to, topology::EdgeKind kind, double mm, Bandwidth bw = {});
  void link(NodeId a, NodeId b, topology::EdgeKind kind, double mm);
  topology::Graph build();

  topology::Graph graph;
};

// A fabric with the names and structure of real ones, but with random small meshes with missing links, connections at
// random routers, random lengths, bandwidths and overheads with many zeros and equal values, and one or two IO chiplets
// per SIP.
topology::Graph odd_fabric(std::mt19937& random, topology::RoutingMetric metric);

}  // namespace kb::test
