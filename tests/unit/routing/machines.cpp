#include "tests/unit/routing/machines.h"

#include <array>

#include "modules/kit/params.h"

namespace kb::test {
namespace {

using topology::EdgeKind;
using topology::Graph;
using topology::NodeKind;

// The number behind `word` in a dotted name, if it begins one of its parts.
std::uint32_t number_after(const std::string& id, const std::string& word) {
  const std::size_t at = ("." + id).find("." + word);
  if (at == std::string::npos || at + word.size() >= id.size()) return NodeId::kNone;
  const char digit = id[at + word.size()];
  return digit >= '0' && digit <= '9' ? static_cast<std::uint32_t>(std::stoul(id.substr(at + word.size())))
                                      : NodeId::kNone;
}

}  // namespace

Sketch::Sketch(int sips) {
  graph.spec.sip_count = sips;
  graph.spec.routing_metric = topology::RoutingMetric::distance;
  graph.spec.cube_components["hbm_ctrl"].params = test::params_of(NodeKind::hbm_ctrl);
}

NodeId Sketch::add(const std::string& id, NodeKind kind, std::optional<topology::Position> pos) {
  topology::Node node;
  node.id = id;
  node.kind = kind;
  node.pos_mm = pos;
  node.sip = SipId(number_after(id, "sip"));
  node.cube = CubeId(number_after(id, "cube"));
  node.pe = PeId(number_after(id, "pe"));
  if (kind == NodeKind::ucie_conn) node.connection = number_after(id, "conn");
  if (kind == NodeKind::pcie_ep || kind == NodeKind::io_cpu) node.chiplet = number_after(id, "io");
  graph.nodes.push_back(node);
  return NodeId(static_cast<std::uint32_t>(graph.nodes.size() - 1));
}

void Sketch::edge(NodeId from, NodeId to, EdgeKind kind, double mm, Bandwidth bw) {
  topology::Edge e;
  e.src = from;
  e.dst = to;
  e.kind = kind;
  e.distance_mm = mm;
  e.bw = bw;
  graph.edges.push_back(e);
}

void Sketch::link(NodeId a, NodeId b, EdgeKind kind, double mm) {
  edge(a, b, kind, mm);
  edge(b, a, kind, mm);
}

Graph Sketch::build() {
  graph.finish();
  return std::move(graph);
}

namespace {

class OddFabric {
 public:
  OddFabric(std::mt19937& random, topology::RoutingMetric metric) : random_(random) {
    sketch_.graph.spec.routing_metric = metric;
  }

  Graph build() {
    sips_ = pick(1, 2);
    w_ = pick(1, 3);
    h_ = pick(1, 2);
    rows_ = pick(1, 3);
    cols_ = pick(1, 3);
    connections_ = pick(1, 3);
    heavy_mesh_ = pick(0, 1) == 1;
    const NodeId tray_switch = add("fabric.switch0", NodeKind::switch_);
    std::vector<NodeId> endpoints;
    for (int s = 0; s < sips_; ++s) {
      sip_ = s;
      std::vector<std::array<NodeId, 4>> cubes;
      const std::vector<std::vector<NodeId>> phys = add_io(endpoints);
      for (int c = 0; c < w_ * h_; ++c) cubes.push_back(add_cube(c));
      join(cubes, phys);
    }
    for (NodeId endpoint : endpoints) link(tray_switch, endpoint, EdgeKind::pcie, EdgeKind::pcie, weight());
    give_overheads();
    return sketch_.build();
  }

 private:
  int pick(int low, int high) { return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)); }
  double weight() {
    constexpr std::array<double, 5> kWeights{0.0, 0.0, 1.0, 1.0, 2.0};
    return kWeights[static_cast<std::size_t>(pick(0, 4))];
  }
  double mesh_weight() { return heavy_mesh_ ? static_cast<double>(pick(1, 3)) * 4.0 : weight(); }

  NodeId add(const std::string& id, NodeKind kind) { return sketch_.add(id, kind); }
  // Now and then the two directions differ.
  void link(NodeId a, NodeId b, EdgeKind there, EdgeKind back, double mm) {
    const Bandwidth bw = bandwidth();
    sketch_.edge(a, b, there, mm, bw);
    const bool differs = pick(0, 5) == 0;
    sketch_.edge(b, a, back, differs ? weight() : mm, differs ? bandwidth() : bw);
  }
  Bandwidth bandwidth() {
    constexpr std::array<double, 4> kGbs{0.0, 256.0, 256.0, 512.0};
    return Bandwidth(kGbs[static_cast<std::size_t>(pick(0, 3))]);
  }
  // Ports cost little and routers much, so that paths round a cube are tempting now and then.
  void give_overheads() {
    for (topology::Node& node : sketch_.graph.nodes) {
      const bool port = node.kind == NodeKind::ucie;
      const double ns = port ? pick(0, 2) * 0.5 : pick(0, 3) * 1.0;
      node.overhead = ns_to_fs(ns);
    }
  }

  std::vector<std::vector<NodeId>> add_io(std::vector<NodeId>& endpoints) {
    std::vector<std::vector<NodeId>> phys;
    // A cube's port takes one peer: north ports for the first chiplet, south ports for the second.
    const int chiplets = pick(1, 2);
    for (int i = 0; i < chiplets; ++i) {
      const std::string prefix = "sip" + std::to_string(sip_) + ".io" + std::to_string(i) + ".";
      endpoints.push_back(add(prefix + "pcie_ep", NodeKind::pcie_ep));
      const NodeId cpu = add(prefix + "io_cpu", NodeKind::io_cpu);
      const NodeId noc = add(prefix + "io_noc", NodeKind::io_noc);
      link(endpoints.back(), noc, EdgeKind::io_internal, EdgeKind::io_internal, weight());
      link(cpu, noc, EdgeKind::io_internal, EdgeKind::io_internal, 0.0);
      phys.emplace_back();
      for (int p = pick(1, w_); p > 0; --p) {
        const std::string name = prefix + "io_ucie-P" + std::to_string(p);
        const NodeId phy = add(name, NodeKind::ucie);
        phys.back().push_back(phy);
        for (int c = 0; c < connections_; ++c) {
          const NodeId connection = add(name + ".conn" + std::to_string(c), NodeKind::ucie_conn);
          link(connection, noc, EdgeKind::ucie_conn_to_noc, EdgeKind::noc_to_ucie_conn, 0.0);
          link(connection, phy, EdgeKind::ucie_internal, EdgeKind::ucie_internal, 0.0);
        }
      }
    }
    return phys;
  }

  std::array<NodeId, 4> add_cube(int index) {
    const std::string prefix = "sip" + std::to_string(sip_) + ".cube" + std::to_string(index) + ".";
    std::vector<NodeId> routers;
    for (int r = 0; r < rows_; ++r) {
      for (int c = 0; c < cols_; ++c) {
        routers.push_back(sketch_.add(prefix + "r" + std::to_string(r) + "c" + std::to_string(c), NodeKind::noc_router,
                                      topology::Position{3.0 * c, 2.0 * r}));
      }
    }
    const auto at = [&](int r, int c) { return routers[static_cast<std::size_t>(r * cols_ + c)]; };
    for (int r = 0; r < rows_; ++r) {
      for (int c = 0; c < cols_; ++c) {
        if (c + 1 < cols_ && pick(0, 5) > 0) {
          link(at(r, c), at(r, c + 1), EdgeKind::router_mesh, EdgeKind::router_mesh, mesh_weight());
        }
        if (r + 1 < rows_ && pick(0, 5) > 0) {
          link(at(r, c), at(r + 1, c), EdgeKind::router_mesh, EdgeKind::router_mesh, mesh_weight());
        }
      }
    }
    const auto any_router = [&] { return routers[random_() % routers.size()]; };
    link(any_router(), add(prefix + "m_cpu", NodeKind::m_cpu), EdgeKind::command, EdgeKind::command, 0.0);
    for (int pe = 0; pe < 2; ++pe) {
      const NodeId router = any_router();
      const std::string id = std::to_string(pe);
      link(add(prefix + "pe" + id + ".pe_dma", NodeKind::pe_dma), router, EdgeKind::pe_to_router,
           EdgeKind::router_to_pe, weight());
      link(router, add(prefix + "hbm_ctrl.pe" + id, NodeKind::hbm_ctrl), EdgeKind::router_to_hbm,
           EdgeKind::hbm_to_router, 0.0);
    }
    std::array<NodeId, 4> ports;
    for (std::size_t side = 0; side < 4; ++side) {
      const std::string name = prefix + "ucie-" + std::string(1, "NSEW"[side]);
      ports[side] = add(name, NodeKind::ucie);
      for (int c = 0; c < connections_; ++c) {
        const NodeId connection = add(name + ".conn" + std::to_string(c), NodeKind::ucie_conn);
        link(connection, any_router(), EdgeKind::ucie_conn_to_router, EdgeKind::router_to_ucie_conn, 0.0);
        link(connection, ports[side], EdgeKind::ucie_internal, EdgeKind::ucie_internal, 0.0);
      }
    }
    return ports;
  }

  void join(const std::vector<std::array<NodeId, 4>>& cubes, const std::vector<std::vector<NodeId>>& phys) {
    const auto at = [&](int x, int y) { return cubes[static_cast<std::size_t>(y * w_ + x)]; };
    for (int y = 0; y < h_; ++y) {
      for (int x = 0; x < w_; ++x) {
        if (x + 1 < w_) link(at(x, y)[2], at(x + 1, y)[3], EdgeKind::ucie_mesh, EdgeKind::ucie_mesh, weight());
        if (y + 1 < h_) link(at(x, y)[1], at(x, y + 1)[0], EdgeKind::ucie_mesh, EdgeKind::ucie_mesh, weight());
      }
    }
    for (std::size_t i = 0; i < phys.size(); ++i) {
      for (std::size_t p = 0; p < phys[i].size(); ++p) {
        const int x = static_cast<int>(p);
        link(phys[i][p], i == 0 ? at(x, 0)[0] : at(x, h_ - 1)[1], EdgeKind::io_to_cube, EdgeKind::cube_to_io, weight());
      }
    }
  }

  std::mt19937& random_;
  Sketch sketch_;
  int sips_ = 1, w_ = 1, h_ = 1, rows_ = 1, cols_ = 1, connections_ = 1;
  bool heavy_mesh_ = false;
  int sip_ = 0;
};

}  // namespace

topology::Graph odd_fabric(std::mt19937& random, topology::RoutingMetric metric) {
  return OddFabric(random, metric).build();
}

}  // namespace kb::test
