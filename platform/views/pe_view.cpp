// One PE (T-63, T-64): its blocks from left to right by their distance from PE_CPU, and the fabric to the right.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>

#include "platform/views/drawing.h"

namespace kb::views {
namespace {

using topology::Node;
using topology::NodeKind;

constexpr double kWidth = 120, kHeight = 44, kColumnGap = 80, kRowGap = 36;
const PeCoord kFirstPe{SipId(0), CubeId(0), PeId(0)};

struct Place {
  int column = 0, row = 0;
};

Role role_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::pe_cpu:
    case NodeKind::pe_scheduler:
    case NodeKind::pe_mmu:
      return Role::control;
    case NodeKind::pe_dma:
    case NodeKind::pe_fetch_store:
      return Role::dma;
    case NodeKind::pe_tcm:
      return Role::tcm;
    case NodeKind::pe_ipcq:
      return Role::queue;
    default:
      return Role::engine;
  }
}

std::string capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

class PeDrawing {
 public:
  explicit PeDrawing(const topology::LoadedTopology& machine)
      : drawing_(machine, "pe", "One PE: blocks by their distance from PE_CPU"),
        graph_(machine.graph),
        mesh_(machine.mesh) {
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      if (is_pe_block(node.kind) && node.pe_coord() == kFirstPe) blocks_.push_back(NodeId{i});
    }
    place_blocks();
  }

  View draw() {
    for (NodeId block : blocks_) {
      const Node& node = graph_.node(block);
      std::vector<std::string> lines{capitals(std::string(node_kind_name(node.kind)))};
      if (node.impl.rfind("builtin.", 0) != 0) lines.push_back(node.impl);
      drawing_.node(node.id, lines, role_of(node.kind), rect(places_.at(block.value)));
    }
    draw_fabric();
    for (std::size_t a = 0; a < blocks_.size(); ++a) {
      for (std::size_t b = a + 1; b < blocks_.size(); ++b) draw_wire(blocks_[a], blocks_[b]);
    }
    drawing_.note("control from left to right, data between DMA, FETCH/STORE, engines and TCM; dashed: commands");
    return drawing_.take();
  }

 private:
  static Rect rect(const Place& place) {
    return {place.column * (kWidth + kColumnGap), place.row * (kHeight + kRowGap), kWidth, kHeight};
  }

  // A block's column is its number of steps from PE_CPU along edges inside the PE. A block without such a path is
  // placed next to the scheduler.
  void place_blocks() {
    std::map<std::uint32_t, int> steps;
    std::queue<NodeId> open;
    for (NodeId block : blocks_) {
      if (graph_.node(block).kind != NodeKind::pe_cpu) continue;
      steps[block.value] = 0;
      open.push(block);
    }
    while (!open.empty()) {
      const NodeId from = open.front();
      open.pop();
      const auto [first, last] = graph_.out_edges(from);
      for (const EdgeId* edge = first; edge != last; ++edge) {
        const topology::Edge& step = graph_.edge(*edge);
        if (step.kind != topology::EdgeKind::pe_internal) continue;
        if (steps.emplace(step.dst.value, steps.at(from.value) + 1).second) open.push(step.dst);
      }
    }
    std::map<int, int> rows;
    const auto put = [&](NodeId block, int column) {
      if (rows[column] == 0) rows[column] = first_row(block, steps);
      places_[block.value] = {column, rows[column]++};
      last_column_ = std::max(last_column_, column);
      last_row_ = std::max(last_row_, rows[column]);
    };
    for (NodeId block : blocks_) {
      if (steps.count(block.value) == 0) put(block, 1);
    }
    for (NodeId block : blocks_) {
      if (steps.count(block.value) != 0) put(block, steps.at(block.value));
    }
  }

  // A column after the engines begins next to its predecessor.
  int first_row(NodeId block, const std::map<std::uint32_t, int>& steps) const {
    const auto [first, last] = graph_.in_edges(block);
    for (const EdgeId* edge = first; edge != last; ++edge) {
      const auto from = steps.find(graph_.edge(*edge).src.value), here = steps.find(block.value);
      if (from == steps.end() || here == steps.end() || here->second < 3 || from->second >= here->second) continue;
      return places_.at(from->first).row;
    }
    return 0;
  }

  // Draws the router, and the channel routers if there are any, in a column after the blocks.
  void draw_fabric() {
    const std::string router = "sip0.cube0." + topology::router_name(mesh_.pes.front().router);
    const int column = last_column_ + 1;
    drawing_.node(router, {"router " + topology::router_name(mesh_.pes.front().router)}, Role::router,
                  rect({column, 0}));
    const Rect at = drawing_.box(router);
    double top = -kRowGap;
    for (NodeId block : blocks_) {
      const Node& node = graph_.node(block);
      const Rect from = drawing_.box(node.id);
      if (node.kind == NodeKind::pe_dma) {
        drawing_.wire(node.id, router, {{from.right(), from.center().y}, {at.x, at.center().y}});
        continue;
      }
      const double end = at.center().x + (node.kind == NodeKind::pe_cpu ? 15 : -15);
      const Point start{from.center().x, from.y};
      if (drawing_.wire(node.id, router, {start, {start.x, top}, {end, top}, {end, at.y}})) top += 12;
    }
    draw_memory(router, column);
  }

  void draw_memory(const std::string& router, int column) {
    const std::string hbm = "sip0.cube0.hbm_ctrl.pe0";
    const Rect at = rect({column, 2}), above = drawing_.box(router);
    drawing_.node(hbm, {"HBM_CTRL", "own slice"}, Role::hbm, at);
    drawing_.wire(router, hbm, {{above.center().x, above.bottom()}, {at.center().x, at.y}});
    const int channels = drawing_.spec().hbm_channels_per_pe;
    if (drawing_.spec().hbm_mapping_mode != topology::HbmMapping::one_to_one) return;
    drawing_.note(fmt::format("PE_DMA also reaches its HBM slice through {} channel routers", channels));
  }

  void draw_wire(NodeId a, NodeId b) {
    const Place &from = places_.at(a.value), &to = places_.at(b.value);
    drawing_.wire(graph_.node(a).id, graph_.node(b).id,
                  from.column == to.column  ? along_column(rect(from), rect(to), to.row - from.row)
                  : from.column < to.column ? across(from, to)
                                            : across(to, from));
  }
  // Each block of the left column has a separate lane and entry point.
  static std::vector<Point> across(const Place& from, const Place& to) {
    const Rect left = rect(from), right = rect(to);
    if (from.row == to.row) return {{left.right(), left.center().y}, {right.x, right.center().y}};
    const double lane = right.x - kColumnGap / 2 + from.row * 12, end = right.center().y + (from.row - 1) * 8;
    return {{left.right(), left.center().y}, {lane, left.center().y}, {lane, end}, {right.x, end}};
  }
  static std::vector<Point> along_column(const Rect& a, const Rect& b, int rows) {
    const Rect &upper = rows > 0 ? a : b, &lower = rows > 0 ? b : a;
    if (rows == 1 || rows == -1) return {{upper.center().x, upper.bottom()}, {lower.center().x, lower.y}};
    const double lane = upper.right() + kColumnGap / 4;
    return {{upper.right(), upper.center().y + 8},
            {lane, upper.center().y + 8},
            {lane, lower.center().y - 8},
            {lower.right(), lower.center().y - 8}};
  }

  Drawing drawing_;
  const topology::Graph& graph_;
  const topology::MeshLayout& mesh_;
  std::vector<NodeId> blocks_;
  std::map<std::uint32_t, Place> places_;
  int last_column_ = 0, last_row_ = 0;
};

}  // namespace

View pe_view(const topology::LoadedTopology& machine) {
  return PeDrawing(machine).draw();
}

}  // namespace kb::views
