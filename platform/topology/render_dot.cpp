// Graphviz output. The representative drawing shows one SIP and one cube at their positions (T-60..T-62); it selects
// neato itself, so that plain `dot -Tsvg` gives the same picture.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "platform/base/names.h"
#include "platform/topology/schema.h"
#include "platform/topology/topology.h"
#include "platform/topology/words.h"

namespace kb::topology {
namespace {

constexpr double kCubePitchX = 2.0;  // inches between cubes of the SIP drawing
constexpr double kCubePitchY = 1.5;

// Collects statements; y grows downwards here and upwards in Graphviz.
class Drawing {
 public:
  void node(const std::string& id, const std::string& label, double x, double y, const std::string& style) {
    out_ += fmt::format("  \"{}\" [label=\"{}\", pos=\"{:.3f},{:.3f}!\", {}];\n", id, label, x, -y, style);
  }
  void edge(const std::string& a, const std::string& b, const std::string& label, const std::string& style) {
    out_ += fmt::format("  \"{}\" -- \"{}\" [label=\"{}\"{}{}];\n", a, b, label, style.empty() ? "" : ", ", style);
  }
  void title(const std::string& id, const std::string& text, double x, double y) {
    node(id, text, x, y, "shape=plaintext, fillcolor=none, fontsize=16");
  }
  const std::string& text() const { return out_; }

 private:
  std::string out_;
};

std::string box(double w, double h, const char* color) {
  return fmt::format("width={:.2f}, height={:.2f}, fixedsize=true, fillcolor=\"{}\"", w, h, color);
}

double cube_x(int x) {
  return x * kCubePitchX;
}
double cube_y(int y) {
  return y * kCubePitchY;
}

// Where an IO chiplet is drawn: outside the array, opposite the middle of the ports it feeds.
Position chiplet_position(const MachineSpec& spec, const IoChipletSpec& io) {
  double x = 0.0;
  double y = 0.0;
  for (const CubePortSpec& port : io.cube_ports) {
    x += cube_x(port.cube_x) / static_cast<double>(io.cube_ports.size());
    y += cube_y(port.cube_y) / static_cast<double>(io.cube_ports.size());
  }
  switch (io.cube_ports.front().cube_side) {
    case Side::N:
      return {x, -1.8};
    case Side::S:
      return {x, cube_y(spec.cube_mesh_h - 1) + 1.8};
    case Side::E:
      return {cube_x(spec.cube_mesh_w - 1) + 2.6, y};
    case Side::W:
      return {-2.6, y};
  }
  return {x, y};
}

void draw_sip(Drawing& drawing, const MachineSpec& spec) {
  const auto cube_id = [&](int x, int y) { return fmt::format("cube{}", y * spec.cube_mesh_w + x); };
  const std::string pes = plural(static_cast<std::size_t>(spec.pes_per_cube()), "PE");
  const double middle = cube_x(spec.cube_mesh_w - 1) / 2;
  drawing.title("sip_title",
                fmt::format("one SIP of {}: {} x {} cubes", spec.sip_count, spec.cube_mesh_w, spec.cube_mesh_h), middle,
                -4.5);
  drawing.node("fabric.switch0", "fabric.switch0\\nto all SIPs", middle, -3.6, box(1.6, 0.6, "#f3d9a4"));
  for (int y = 0; y < spec.cube_mesh_h; ++y) {
    for (int x = 0; x < spec.cube_mesh_w; ++x) {
      drawing.node(cube_id(x, y), fmt::format("{}\\n{}", cube_id(x, y), pes), cube_x(x), cube_y(y),
                   box(1.2, 0.8, "#cfe2f3"));
      if (x > 0) drawing.edge(cube_id(x - 1, y), cube_id(x, y), "", "");
      if (y > 0) drawing.edge(cube_id(x, y - 1), cube_id(x, y), "", "");
    }
  }
  for (const IoChipletSpec& io : spec.io_chiplets) {
    const Position at = chiplet_position(spec, io);
    drawing.node(io.id, fmt::format("{}\\npcie_ep io_cpu io_noc", io.id), at.x, at.y, box(2.0, 0.6, "#f9cb9c"));
    drawing.edge("fabric.switch0", io.id, "PCIe " + bandwidth_text(spec.io_ep_to_switch_bw), "");
    for (const CubePortSpec& port : io.cube_ports) {
      drawing.edge(io.id, cube_id(port.cube_x, port.cube_y), fmt::format("{} {} mm", port.phy, port.distance_mm), "");
    }
  }
  drawing.title("sip_note",
                fmt::format("cube to cube: {}, {} mm\\nIO chiplet to cube: {}", bandwidth_text(spec.ucie_link_bw),
                            spec.ucie_seam_mm, bandwidth_text(spec.io_chiplets.front().per_connection_bw)),
                middle, cube_y(spec.cube_mesh_h - 1) + 3.0);
}

// Inches per millimetre: the closest two rows or columns stay readable apart.
double cube_scale(const MeshLayout& mesh) {
  double scale = 0.75;
  const auto fit = [&](const std::vector<double>& at, double inches) {
    for (std::size_t i = 1; i < at.size(); ++i) scale = std::max(scale, inches / (at[i] - at[i - 1]));
  };
  fit(mesh.column_x, 1.7);
  fit(mesh.row_y, 1.1);
  return std::min(scale, 4.0);
}

class CubeDrawing {
 public:
  CubeDrawing(Drawing& drawing, const MachineSpec& spec, const MeshLayout& mesh, double left)
      : drawing_(drawing), spec_(spec), mesh_(mesh), scale_(cube_scale(mesh)), left_(left) {
    width_ = std::max(mesh.column_x.back() + 1.5, 6.0);
  }

  void draw() {
    drawing_.title("cube_title",
                   fmt::format("one cube: {} routers, {}", mesh_.router_count(), plural(mesh_.pes.size(), "PE")),
                   x(width_ / 2), y(0.0) - 2.3);
    draw_hole();
    draw_routers();
    draw_blocks();
    for (std::size_t side = 0; side < 4; ++side) draw_port(static_cast<Side>(side));
    const Bandwidth hbm = spec_.hbm_to_router_bw * spec_.hbm_ctrl().efficiency;
    drawing_.title(
        "cube_note",
        fmt::format("router to router {}, PE to router {}, HBM to router {}\\n"
                    "SRAM to router {}, UCIe connection to router {}",
                    bandwidth_text(spec_.router_link_bw), bandwidth_text(spec_.pe_to_router_bw), bandwidth_text(hbm),
                    bandwidth_text(spec_.sram_to_router_bw), bandwidth_text(spec_.noc_to_ucie_conn_bw)) +
            channel_text(),
        x(width_ / 2), y(spec_.cube_mm_h) + 2.3);
  }

 private:
  double x(double mm) const { return left_ + mm * scale_; }
  double y(double mm) const { return mm * scale_ - 2.0; }
  // T-56
  std::string channel_text() const {
    if (spec_.hbm_mapping_mode != HbmMapping::one_to_one) return "";
    return fmt::format("\\neach PE also reaches its own HBM through {} channel routers", spec_.hbm_channels_per_pe);
  }
  std::string id(GridPoint at) const { return "cube." + router_name(at); }

  void draw_hole() {
    if (mesh_.holes.empty()) return;
    const Position first = {mesh_.column_x[static_cast<std::size_t>(mesh_.holes.front().col)],
                            mesh_.row_y[static_cast<std::size_t>(mesh_.holes.front().row)]};
    const Position last = {mesh_.column_x[static_cast<std::size_t>(mesh_.holes.back().col)],
                           mesh_.row_y[static_cast<std::size_t>(mesh_.holes.back().row)]};
    drawing_.node(
        "cube.hbm", "HBM", x((first.x + last.x) / 2), y((first.y + last.y) / 2),
        box(std::max(0.6, (last.x - first.x) * scale_), std::max(0.4, (last.y - first.y) * scale_ * 0.7), "#ead1dc"));
  }

  void draw_routers() {
    for (int row = 0; row < mesh_.rows(); ++row) {
      for (int col = 0; col < mesh_.cols(); ++col) {
        const GridPoint at{row, col};
        if (!mesh_.exists(at)) continue;
        const Position p = mesh_.position(at);
        drawing_.node(id(at), router_name(at), x(p.x), y(p.y), box(0.6, 0.3, "#eeeeee"));
        if (mesh_.exists({row, col - 1})) drawing_.edge(id({row, col - 1}), id(at), "", "penwidth=2");
        if (mesh_.exists({row - 1, col})) drawing_.edge(id({row - 1, col}), id(at), "", "penwidth=2");
      }
    }
  }

  void attach(const std::string& name, const std::string& label, GridPoint at, double dx, double dy,
              const char* color) {
    const Position p = mesh_.position(at);
    drawing_.node(name, label, x(p.x) + dx, y(p.y) + dy, box(0.62, 0.28, color));
    drawing_.edge(id(at), name, "", "");
  }

  void draw_blocks() {
    for (std::size_t pe = 0; pe < mesh_.pes.size(); ++pe) {
      attach(fmt::format("cube.pe{}", pe), fmt::format("PE{}", pe), mesh_.pes[pe].router, -0.38, 0.42, "#b6d7a8");
      attach(fmt::format("cube.hbm_ctrl.pe{}", pe), fmt::format("HBM {}", pe), mesh_.pes[pe].router, 0.38, 0.42,
             "#ead1dc");
    }
    attach("cube.m_cpu", "M_CPU", mesh_.m_cpu, -0.38, -0.42, "#f9cb9c");
    attach("cube.sram", "SRAM", mesh_.sram, 0.38, -0.42, "#d9d2e9");
  }

  void draw_port(Side side) {
    const std::string& name = side_names()[static_cast<std::size_t>(side)];
    const std::string port = "cube.ucie-" + name;
    const double middle_x = x((mesh_.column_x.front() + mesh_.column_x.back()) / 2);
    const double middle_y = y(spec_.cube_mm_h / 2);
    const double right = x(mesh_.column_x.back()) + 1.5;
    const Position at = side == Side::N   ? Position{middle_x, y(0.0) - 0.8}
                        : side == Side::S ? Position{middle_x, y(spec_.cube_mm_h) + 0.8}
                        : side == Side::E ? Position{right, middle_y}
                                          : Position{x(mesh_.column_x.front()) - 1.5, middle_y};
    drawing_.node(port, "UCIe " + name, at.x, at.y, box(0.8, 0.4, "#ffe599"));
    std::map<std::string, std::string> connections;  // one line per router, also when several connections share it
    for (std::size_t c = 0; c < mesh_.ucie[static_cast<std::size_t>(side)].size(); ++c) {
      std::string& label = connections[id(mesh_.ucie[static_cast<std::size_t>(side)][c])];
      label += fmt::format("{}c{}", label.empty() ? "" : " ", c);
    }
    for (const auto& [router, label] : connections) {
      drawing_.edge(port, router, label, "color=\"#bf9000\", fontcolor=\"#7f6000\", style=dashed");
    }
  }

  Drawing& drawing_;
  const MachineSpec& spec_;
  const MeshLayout& mesh_;
  double scale_, left_, width_ = 0.0;
};

constexpr char kStyle[] =
    "  node [shape=box, style=filled, fillcolor=white, fontname=\"Helvetica\", fontsize=11];\n"
    "  edge [fontname=\"Helvetica\", fontsize=10];\n";

std::string render_representative(const LoadedTopology& topology) {
  const MachineSpec& spec = topology.graph.spec;
  Drawing drawing;
  draw_sip(drawing, spec);
  const double sip_right = cube_x(spec.cube_mesh_w - 1) + 5.0;
  CubeDrawing(drawing, spec, topology.mesh, sip_right).draw();
  return fmt::format("graph machine {{\n  layout=neato;\n  splines=line;\n  outputorder=edgesfirst;\n{}{}}}\n", kStyle,
                     drawing.text());
}

// Every node and every directed edge, grouped by SIP and cube.
std::string render_full(const Graph& graph) {
  std::string out = fmt::format("digraph machine {{\n  rankdir=LR;\n{}", kStyle);
  const auto group = [](const Node& node) {
    if (!node.sip.valid()) return std::string();
    return node.cube.valid() ? cube_name(node.sip, node.cube) : fmt::format("sip{}", node.sip.value);
  };
  std::string open;
  for (const Node& node : graph.nodes) {
    const std::string now = group(node);
    if (now != open) {
      if (!open.empty()) out += "  }\n";
      if (!now.empty()) out += fmt::format("  subgraph \"cluster_{}\" {{\n    label=\"{}\";\n", now, now);
      open = now;
    }
    const std::string label = open.empty() ? node.id : node.id.substr(open.size() + 1);
    out += fmt::format("    \"{}\" [label=\"{}\"];\n", node.id, label);
  }
  if (!open.empty()) out += "  }\n";
  for (const Edge& edge : graph.edges) {
    out += fmt::format("  \"{}\" -> \"{}\";\n", graph.node(edge.src).id, graph.node(edge.dst).id);
  }
  return out + "}\n";
}

}  // namespace

std::string render_dot(const LoadedTopology& topology, bool full) {
  return full ? render_full(topology.graph) : render_representative(topology);
}

std::string render_mesh(const LoadedTopology& topology) {
  return mesh_to_yaml(topology.mesh, topology.graph.spec);
}

}  // namespace kb::topology
