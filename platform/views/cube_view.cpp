// One cube (T-62), to scale: routers at their millimetres, the blocks of a router below it, UCIe ports along the edges.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platform/topology/schema.h"
#include "platform/views/drawing.h"

namespace kb::views {
namespace {

using topology::GridPoint;
using topology::MeshLayout;
using topology::Side;

constexpr double kRouterWidth = 44, kRouterHeight = 18;
constexpr double kBlockHeight = 18, kBlockGap = 5, kAisle = 24;  // the aisle below a router is free for wires
constexpr double kCellMargin = 10;
constexpr double kPortDepth = 22, kPortDistance = 34;

struct Block {
  std::string id, line;
  Role role;
  bool is_pe = false;
};

class CubeDrawing {
 public:
  CubeDrawing(const topology::LoadedTopology& machine, const std::string& cube)
      : drawing_(machine, "cube", "One cube: routers and what they connect"),
        spec_(drawing_.spec()),
        mesh_(machine.mesh),
        cube_id_(cube) {
    for (std::size_t pe = 0; pe < mesh_.pes.size(); ++pe) {
      auto& blocks = blocks_[key(mesh_.pes[pe].router)];
      blocks.push_back({fmt::format("{}.pe{}", cube_id_, pe), fmt::format("PE{}", pe), Role::pe, true});
      blocks.push_back({fmt::format("{}.hbm_ctrl.pe{}", cube_id_, pe), fmt::format("HBM{}", pe), Role::hbm});
    }
    blocks_[key(mesh_.m_cpu)].push_back({cube_id_ + ".m_cpu", "M_CPU", Role::control});
    blocks_[key(mesh_.sram)].push_back({cube_id_ + ".sram", "SRAM", Role::sram});
    for (const auto& [at, blocks] : blocks_) {
      for (const Block& block : blocks) block_width_ = std::max(block_width_, label_width(block.line));
    }
    scale_ = scale();
  }

  View draw() {
    const double w = spec_.cube_mm_w * scale_;
    const double lowest = mesh_.row_y.back() * scale_ + kRouterHeight / 2 + depth(mesh_.rows() - 1) + kCellMargin;
    const double h = std::max(spec_.cube_mm_h * scale_, lowest);
    cube_ = {0, 0, w, h};
    drawing_.frame(cube_id_, "", fmt::format("{}\n{} x {} mm", cube_id_, spec_.cube_mm_w, spec_.cube_mm_h), Role::cube,
                   cube_);
    draw_memory();
    draw_links();
    for (int row = 0; row < mesh_.rows(); ++row) {
      for (int col = 0; col < mesh_.cols(); ++col) draw_cell({row, col});
    }
    for (std::size_t side = 0; side < 4; ++side) draw_port(static_cast<Side>(side));
    notes();
    return drawing_.take();
  }

 private:
  static std::pair<int, int> key(GridPoint at) { return {at.row, at.col}; }
  std::string router_id(GridPoint at) const { return cube_id_ + "." + topology::router_name(at); }
  std::size_t block_count(GridPoint at) const {
    const auto found = blocks_.find(key(at));
    return found == blocks_.end() ? 0 : found->second.size();
  }
  // Height below the routers of a row: blocks are placed in pairs.
  double depth(int row) const {
    std::size_t most = 0;
    for (int col = 0; col < mesh_.cols(); ++col) most = std::max(most, block_count({row, col}));
    return static_cast<double>((most + 1) / 2) * (kBlockHeight + kBlockGap) + kBlockGap;
  }

  // Pixels per millimetre: the minimum that leaves room for all routers and blocks.
  double scale() const {
    double scale = 600 / std::max(spec_.cube_mm_w, spec_.cube_mm_h);
    const double cell = 2 * block_width_ + kAisle + kCellMargin;
    for (int col = 1; col < mesh_.cols(); ++col) {
      const std::size_t c = static_cast<std::size_t>(col);
      scale = std::max(scale, cell / (mesh_.column_x[c] - mesh_.column_x[c - 1]));
    }
    for (int row = 1; row < mesh_.rows(); ++row) {
      const std::size_t r = static_cast<std::size_t>(row);
      const double need = kRouterHeight + depth(row - 1) + kCellMargin;
      scale = std::max(scale, need / (mesh_.row_y[r] - mesh_.row_y[r - 1]));
    }
    // Keeps the outermost cells inside the cube.
    scale = std::max(scale, cell / 2 / std::max(0.1, mesh_.column_x.front()));
    return std::max(scale, cell / 2 / std::max(0.1, spec_.cube_mm_w - mesh_.column_x.back()));
  }

  Point place(GridPoint at) const {
    const topology::Position mm = mesh_.position(at);
    return {mm.x * scale_, mm.y * scale_};
  }
  static Rect router_rect(const Point& at) {
    return {at.x - kRouterWidth / 2, at.y - kRouterHeight / 2, kRouterWidth, kRouterHeight};
  }

  void draw_memory() {
    const double w = spec_.hbm_mm_w * scale_, h = spec_.hbm_mm_h * scale_;
    const double cx = spec_.cube_mm_w * scale_ / 2, cy = spec_.cube_mm_h * scale_ / 2;
    drawing_.frame(cube_id_ + ".hbm", "", fmt::format("HBM, {} x {} mm", spec_.hbm_mm_w, spec_.hbm_mm_h), Role::hbm,
                   {cx - w / 2, cy - h / 2, w, h});
    if (!mesh_.holes.empty()) drawing_.label("HBM", {cx - label_width("HBM") / 2, cy + 4}, true);
  }

  void draw_links() {
    for (int row = 0; row < mesh_.rows(); ++row) {
      for (int col = 0; col < mesh_.cols(); ++col) {
        const GridPoint at{row, col}, west{row, col - 1}, north{row - 1, col};
        if (!mesh_.exists(at)) continue;
        if (mesh_.exists(west)) drawing_.wire(router_id(west), router_id(at), {place(west), place(at)});
        if (mesh_.exists(north)) drawing_.wire(router_id(north), router_id(at), {place(north), place(at)});
      }
    }
  }

  void draw_cell(GridPoint at) {
    if (!mesh_.exists(at)) return;
    const Point middle = place(at);
    drawing_.node(router_id(at), {topology::router_name(at)}, Role::router, router_rect(middle));
    const auto found = blocks_.find(key(at));
    if (found == blocks_.end()) return;
    for (std::size_t i = 0; i < found->second.size(); ++i) draw_block(at, found->second[i], i);
  }

  void draw_block(GridPoint at, const Block& block, std::size_t index) {
    const Point middle = place(at);
    const bool left = index % 2 == 0;
    const double y =
        middle.y + kRouterHeight / 2 + kBlockGap + static_cast<double>(index / 2) * (kBlockHeight + kBlockGap);
    const Rect box{left ? middle.x - kAisle / 2 - block_width_ : middle.x + kAisle / 2, y, block_width_, kBlockHeight};
    // Along the aisle, then sideways.
    const double lane = middle.x + (left ? -kAisle * 0.35 : kAisle * 0.35);
    const std::vector<Point> path{
        {lane, middle.y}, {lane, y + kBlockHeight / 2}, {left ? box.right() : box.x, y + kBlockHeight / 2}};
    if (block.is_pe) {
      drawing_.container(block.id, {block.line}, pe_title(block.id), block.role, box);
      drawing_.wire(block.id + ".pe_dma", router_id(at), path);
      return;
    }
    drawing_.node(block.id, {block.line}, block.role, box);
    drawing_.wire(block.id, router_id(at), path);
  }

  std::string pe_title(const std::string& id) const {
    const auto& tcm = spec_.tcm_bytes_per_pe;
    return fmt::format("{}\nTCM {}\nits blocks: pe_view", id, format_bytes(tcm));
  }

  // Connections that share a router are drawn as one line.
  void draw_port(Side side) {
    const std::string& letter = topology::side_names()[static_cast<std::size_t>(side)];
    const std::string id = fmt::format("{}.ucie-{}", cube_id_, letter);
    const bool upright = side == Side::E || side == Side::W;
    const double length = std::min(upright ? cube_.h : cube_.w, 260.0);
    const double near = side == Side::N   ? -kPortDistance - kPortDepth
                        : side == Side::S ? cube_.bottom() + kPortDistance
                        : side == Side::W ? -kPortDistance - width_of_upright()
                                          : cube_.right() + kPortDistance;
    const Rect at = upright ? Rect{near, cube_.center().y - length / 2, width_of_upright(), length}
                            : Rect{cube_.center().x - length / 2, near, length, kPortDepth};
    drawing_.node(id, {"UCIe " + letter}, Role::ucie, at);
    const std::vector<GridPoint>& routers = mesh_.ucie[static_cast<std::size_t>(side)];
    for (std::size_t c = 0; c < routers.size(); ++c) {
      if (c > 0 && routers[c] == routers[c - 1]) continue;
      const Point router = place(routers[c]);
      const double share = (static_cast<double>(c) + 0.5) / static_cast<double>(routers.size());
      const Point end = upright ? Point{side == Side::W ? at.right() : at.x, at.y + share * at.h}
                                : Point{at.x + share * at.w, side == Side::N ? at.bottom() : at.y};
      const Point edge = upright ? Point{side == Side::W ? 0 : cube_.right(), router.y}
                                 : Point{router.x, side == Side::N ? 0 : cube_.bottom()};
      drawing_.wire(fmt::format("{}.conn{}", id, c), router_id(routers[c]), {end, edge, router});
    }
  }
  static double width_of_upright() { return label_width("UCIe W"); }

  void notes() {
    drawing_.note(fmt::format(
        "{} x {} mm, {} routers, {}; router to router {}, PE {}, HBM {}, SRAM {}, UCIe connection {}", spec_.cube_mm_w,
        spec_.cube_mm_h, mesh_.router_count(), plural(mesh_.pes.size(), "PE"), bandwidth_text(spec_.router_link_bw),
        bandwidth_text(spec_.pe_to_router_bw), bandwidth_text(spec_.hbm_to_router_bw * spec_.hbm_ctrl().efficiency),
        bandwidth_text(spec_.sram_to_router_bw), bandwidth_text(spec_.noc_to_ucie_conn_bw)));
    if (spec_.hbm_mapping_mode == topology::HbmMapping::one_to_one) {
      drawing_.note(
          fmt::format("each PE also reaches its own HBM through {} channel routers", spec_.hbm_channels_per_pe));
    }
  }

  Drawing drawing_;
  const topology::MachineSpec& spec_;
  const MeshLayout& mesh_;
  std::string cube_id_;
  std::map<std::pair<int, int>, std::vector<Block>> blocks_;  // of each router
  double block_width_ = 0, scale_ = 1;
  Rect cube_;
};

}  // namespace

View cube_view(const topology::LoadedTopology& machine, const std::string& cube) {
  return CubeDrawing(machine, cube).draw();
}

}  // namespace kb::views
