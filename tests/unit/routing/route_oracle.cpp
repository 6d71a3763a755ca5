#include "tests/unit/routing/route_oracle.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

namespace kb::test {
namespace {

using topology::Graph;
using topology::NodeKind;
using Length = std::pair<std::int64_t, int>;  // weight, hops

class Enumerator {
 public:
  Enumerator(const Graph& graph, NodeId src, NodeId dst) : graph_(graph), src_(src), dst_(dst) {
    const topology::Node& a = graph.node(src);
    const topology::Node& b = graph.node(dst);
    same_cube_ = a.cube.valid() && a.cube == b.cube && a.sip == b.sip;
    between_sips_ = a.sip.valid() && b.sip.valid() && a.sip != b.sip;
    bound();
  }

  std::optional<OracleRoute> run(bool& gave_up) {
    on_path_.assign(graph_.nodes.size(), false);
    nodes_ = {src_};
    on_path_[src_.value] = true;
    extend({0, 0});
    gave_up = steps_ > kMaxSteps;
    if (!best_) return std::nullopt;
    return OracleRoute{std::get<0>(*best_).first, best_nodes_};
  }

 private:
  using Key = std::tuple<Length, int, std::vector<std::pair<bool, std::uint32_t>>>;
  static constexpr long kMaxSteps = 300'000;

  // F-8: the time of a full flit over the idle wire and through the node behind it, or micrometres.
  std::int64_t weight(const topology::Edge& edge) const {
    if (graph_.spec.routing_metric == topology::RoutingMetric::distance) return std::llround(edge.distance_mm * 1000.0);
    const std::int64_t propagation = std::llround(edge.distance_mm * graph_.spec.ns_per_mm * 1e6);
    const std::int64_t flit = edge.bw.limited() ? std::llround(256.0 * 1e6 / edge.bw.gbs()) : 0;
    return std::max<std::int64_t>(propagation, 1) + flit + graph_.node(edge.dst).overhead.fs();
  }

  bool may_pass(NodeId id) const {
    const topology::Node& node = graph_.node(id);
    const topology::Node& home = graph_.node(src_);
    if (same_cube_ && (node.sip != home.sip || node.cube != home.cube)) return false;
    switch (node.kind) {
      case NodeKind::noc_router:
      case NodeKind::ucie:
      case NodeKind::ucie_conn:
      case NodeKind::io_noc:
      case NodeKind::switch_:
        return true;
      case NodeKind::pcie_ep:
        return between_sips_;
      default:
        return false;
    }
  }

  // Lower bounds without any turn rule (Bellman-Ford).
  void bound() {
    const Length far{INT64_MAX / 4, 0};
    rest_.assign(graph_.nodes.size(), far);
    rest_[dst_.value] = {0, 0};
    for (bool changed = true; changed;) {
      changed = false;
      for (const topology::Edge& edge : graph_.edges) {
        if (edge.dst != dst_ && !may_pass(edge.dst)) continue;
        const Length& after = rest_[edge.dst.value];
        const Length through{after.first + weight(edge), after.second + 1};
        if (through < rest_[edge.src.value]) {
          rest_[edge.src.value] = through;
          changed = true;
        }
      }
    }
  }

  void extend(Length length) {
    if (++steps_ > kMaxSteps) return;
    const NodeId at = nodes_.back();
    if (at == dst_) return finish(length);
    const auto [begin, end] = graph_.out_edges(at);
    for (const EdgeId* id = begin; id != end; ++id) {
      const topology::Edge& edge = graph_.edge(*id);
      if (on_path_[edge.dst.value] || (edge.dst != dst_ && !may_pass(edge.dst)) || turns_back(edge.dst) ||
          comes_back(edge.dst)) {
        continue;
      }
      const Length next{length.first + weight(edge), length.second + 1};
      const Length least{next.first + rest_[edge.dst.value].first, next.second + rest_[edge.dst.value].second};
      if (least.first >= INT64_MAX / 8 || (best_ && std::get<0>(*best_) < least)) continue;
      on_path_[edge.dst.value] = true;
      nodes_.push_back(edge.dst);
      extend(next);
      nodes_.pop_back();
      on_path_[edge.dst.value] = false;
    }
  }

  // connection -> endpoint -> connection of the same endpoint
  bool turns_back(NodeId next) const {
    return nodes_.size() >= 2 && graph_.node(next).kind == NodeKind::ucie_conn &&
           graph_.node(nodes_.back()).kind == NodeKind::ucie &&
           graph_.node(nodes_[nodes_.size() - 2]).kind == NodeKind::ucie_conn;
  }

  // Into a cube that the path has left; only routes by distance may.
  bool comes_back(NodeId next) const {
    if (graph_.spec.routing_metric == topology::RoutingMetric::distance) return false;
    const topology::Node& to = graph_.node(next);
    const auto same_cube = [&](NodeId id) {
      return graph_.node(id).cube.valid() && graph_.node(id).sip == to.sip && graph_.node(id).cube == to.cube;
    };
    return !same_cube(nodes_.back()) && std::any_of(nodes_.begin(), nodes_.end(), same_cube);
  }

  void finish(Length length) {
    Key key{length, index_changes(), {}};
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      std::get<2>(key).emplace_back(!is_horizontal(nodes_[i - 1], nodes_[i]), nodes_[i].value);
    }
    if (best_ && !(key < *best_)) return;
    best_ = key;
    best_nodes_ = nodes_;
  }

  int index_changes() const {
    int changes = 0;
    std::string previous;
    for (NodeId id : nodes_) {
      if (graph_.node(id).kind != NodeKind::ucie_conn) continue;
      const std::string index = graph_.node(id).id.substr(graph_.node(id).id.rfind("conn"));
      if (!previous.empty() && index != previous) ++changes;
      previous = index;
    }
    return changes;
  }

  bool is_horizontal(NodeId a, NodeId b) const {
    const topology::Node& from = graph_.node(a);
    const topology::Node& to = graph_.node(b);
    return from.kind == NodeKind::noc_router && to.kind == NodeKind::noc_router && from.pos_mm->y == to.pos_mm->y;
  }

  const Graph& graph_;
  NodeId src_, dst_;
  bool same_cube_ = false, between_sips_ = false;
  std::vector<Length> rest_;
  std::vector<bool> on_path_;
  std::vector<NodeId> nodes_;
  std::optional<Key> best_;
  std::vector<NodeId> best_nodes_;
  long steps_ = 0;
};

}  // namespace

std::optional<OracleRoute> best_route(const Graph& graph, NodeId src, NodeId dst, bool& gave_up) {
  return Enumerator(graph, src, dst).run(gave_up);
}

}  // namespace kb::test
