// One shortest-route query over a FabricMap: costs to the destination from every link that matters, then the walk that
// settles ties node by node.
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
  bool same_cube = false;  // both ends in one cube: no links
  // Only links of the two SIPs of the ends. Valid when a route cannot gain from a third SIP.
  bool two_sips_only = false;
};

struct FoundPath {
  Cost cost;
  std::vector<NodeId> nodes;
};

class RouteSearch {
 public:
  RouteSearch(const topology::Graph& graph, const FabricMap& map);

  // The best route of the total order, or nothing when there is none.
  std::optional<FoundPath> find(const SearchRequest& request);

 private:
  // Where the source or destination touches a cell.
  struct Attachment {
    CellPlace place;
    NodeId node;
    Cost cost;  // of the edge between; nothing when the end is itself a cell node
  };
  // A way out of a cell that is on some best route.
  struct Exit {
    NodeId node;  // the next node after the cell: a connection or the destination
    std::uint32_t link = kNoLink;
    std::uint32_t target = 0;  // local node that it hangs on
    Cost tail;                 // from there to the destination
    const std::vector<Cost>* to_target = nullptr;
  };
  // A port and a direction that the route may not use.
  struct Ban {
    std::uint32_t port = 0;
    bool outward = false;
  };
  static constexpr std::uint32_t kNoLink = 0xffffffffu;

  std::optional<FoundPath> find_simple(std::vector<Ban>& bans, const std::optional<FoundPath>& to_beat);
  std::optional<FoundPath> find_relaxed(const std::vector<Ban>& bans);
  bool better(const FoundPath& a, const FoundPath& b) const;
  // What is wrong with a path, as bans of which every route of the rule keeps at least one; empty when nothing is.
  std::vector<Ban> remedies(const FoundPath& path) const;
  std::vector<Ban> cube_remedies(const FoundPath& path) const;
  std::vector<Ban> port_remedies(const FoundPath& path) const;

  // Costs to the destination.
  std::vector<Attachment> attachments(NodeId end, bool is_source) const;
  Cost direct_cost() const;
  Cost source_cost() const;
  // Each returns the least cost of a route, given that `best` is that of a route without links.
  Cost label(Cost best, bool complete, const std::vector<Ban>& bans);
  Cost label_with_cache(Cost best);
  void clear_labels();
  void label_destination();
  Cost cost_through(std::uint32_t link, Cost rest) const;
  void relax(LinkState state, Cost cost);
  void relax_into(LinkState state, Cost cost, Cost best, const std::vector<Ban>& bans);
  bool in_scope(const PortLink& link) const;
  static bool banned(const std::vector<Ban>& bans, std::uint32_t from_port, std::uint32_t to_port);

  // The walk.
  // Order of the ways to go on from a node: a horizontal mesh edge first, then the lower node index.
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
  std::vector<Cost> togo_;  // by LinkState; Cost::none() where no label was set
  std::vector<LinkState> labelled_;
  std::vector<std::pair<Cost, LinkState>> heap_;
  LabelCache cache_;
};

}  // namespace kb::routing
