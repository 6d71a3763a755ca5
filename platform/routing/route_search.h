// One shortest-route query over a FabricMap: computes the costs from the relevant links to the destination, then walks
// from the source and resolves ties node by node.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "platform/base/ids.h"
#include "platform/routing/cost.h"
#include "platform/routing/edge_classes.h"
#include "platform/routing/fabric_map.h"
#include "platform/routing/label_cache.h"
#include "platform/routing/port_graph.h"
#include "platform/topology/graph.h"

namespace kb::routing {

struct SearchRequest {
  NodeId src;
  NodeId dst;
  RoutePurpose purpose = RoutePurpose::command;
  bool same_cube = false;  // both ends are in one cube: the route uses no links
  // Restricts the search to links of the two SIPs of the ends; valid when no route through a third SIP can be shorter.
  bool two_sips_only = false;
};

struct FoundPath {
  Cost cost;
  std::vector<NodeId> nodes;
};

class RouteSearch {
 public:
  RouteSearch(const topology::Graph& graph, const FabricMap& map);

  // The best route in the total order; no value when there is none.
  std::optional<FoundPath> find(const SearchRequest& request);

 private:
  // A cell node where the source or destination is attached.
  struct Attachment {
    CellPlace place;
    NodeId node;
    Cost cost;  // cost of the edge in between; zero when the end is itself a cell node
  };
  // An exit of a cell that lies on a best route.
  struct Exit {
    NodeId node;  // the next node after the cell: a connection or the destination
    std::uint32_t link = kNoLink;
    std::uint32_t target = 0;  // local index of the node at which the exit is attached
    Cost tail;                 // cost from the exit to the destination
    const std::vector<Cost>* to_target = nullptr;
  };
  // A port and a direction that the route must not use.
  struct Ban {
    std::uint32_t port = 0;
    bool outward = false;
  };
  static constexpr std::uint32_t kNoLink = 0xffffffffu;

  std::optional<FoundPath> find_simple(std::vector<Ban>& bans, const std::optional<FoundPath>& to_beat);
  std::optional<FoundPath> find_relaxed(const std::vector<Ban>& bans);
  bool better(const FoundPath& a, const FoundPath& b) const;
  // Alternative bans for a path that violates the routing rule: every valid route satisfies at least one of them. Empty
  // when the path is valid.
  std::vector<Ban> remedies(const FoundPath& path) const;
  std::vector<Ban> cube_remedies(const FoundPath& path) const;
  std::vector<Ban> port_remedies(const FoundPath& path) const;

  // Computation of the costs to the destination.
  std::vector<Attachment> attachments(NodeId end, bool is_source) const;
  Cost direct_cost() const;
  Cost source_cost() const;
  // Both return the lowest cost of a route; `best` is the lowest cost of a route that uses no links.
  Cost label(Cost best, bool complete, const std::vector<Ban>& bans);
  Cost label_with_cache(Cost best);
  void clear_labels();
  void label_destination();
  Cost cost_through(std::uint32_t link, Cost rest) const;
  void relax(LinkState state, Cost cost);
  void relax_into(LinkState state, Cost cost, Cost best, const std::vector<Ban>& bans);
  bool in_scope(const PortLink& link) const;
  static bool banned(const std::vector<Ban>& bans, std::uint32_t from_port, std::uint32_t to_port);

  // The walk. Order of the possible next nodes: a horizontal mesh edge first, then the lowest node index.
  std::pair<bool, std::uint32_t> step_key(NodeId from, NodeId to) const;
  std::vector<NodeId> walk(Cost best, const std::vector<Ban>& bans) const;
  std::vector<Exit> exits_of(std::uint32_t cell, std::uint32_t entry_link) const;
  Exit walk_cell(CellPlace at, std::uint32_t entry_link, Cost remaining, std::vector<NodeId>& nodes) const;
  std::uint32_t cross(std::uint32_t link, const std::vector<Ban>& bans, std::vector<NodeId>& nodes) const;

  const topology::Graph& graph_;
  const FabricMap& map_;
  SearchRequest request_;
  std::vector<Attachment> src_, dst_;

  PortGraph port_graph_;
  std::vector<Cost> togo_;  // indexed by LinkState; Cost::none() for states without a label
  std::vector<LinkState> labelled_;
  std::vector<std::pair<Cost, LinkState>> heap_;
  LabelCache cache_;
};

}  // namespace kb::routing
