// One SIP (T-61): cubes at their positions, IO chiplets opposite their ports.
#include <fmt/format.h>

#include <algorithm>

#include "platform/topology/schema.h"
#include "platform/views/drawing.h"

namespace kb::views {
namespace {

using topology::IoChipletSpec;
using topology::Side;

constexpr double kSeam = 40;                    // gap between cubes; wire titles have the length in millimetres
constexpr double kPortHeight = 20, kPort = 36;  // a chiplet's port, and its distance from the cubes
constexpr double kChipletDistance = 130, kBesideDistance = 190;  // from the cubes: above and below, beside
constexpr double kWidestPort = 64;
constexpr double kChipletHeight = 50, kGap = 16;

class SipDrawing {
 public:
  SipDrawing(const topology::LoadedTopology& machine, const std::string& sip)
      : drawing_(machine, "sip", ""), spec_(drawing_.spec()), sip_(sip) {
    const double letters = label_width(fmt::format("cube{}", spec_.cubes_per_sip() - 1)) + 2 * kGap;
    const double scale = std::max({letters / spec_.cube_mm_w, 96 / spec_.cube_mm_w, 64 / spec_.cube_mm_h});
    cube_ = {0, 0, spec_.cube_mm_w * scale, spec_.cube_mm_h * scale};
    array_ = {0, 0, spec_.cube_mesh_w * (cube_.w + kSeam) - kSeam, spec_.cube_mesh_h * (cube_.h + kSeam) - kSeam};
  }

  View draw() {
    draw_cubes();
    for (std::size_t side = 0; side < 4; ++side) draw_chiplets(static_cast<Side>(side));
    drawing_.note(fmt::format("one SIP of {}: {} x {} cubes of {} x {} mm, {} each; cube to cube {} each way",
                              spec_.sip_count, spec_.cube_mesh_w, spec_.cube_mesh_h, spec_.cube_mm_w, spec_.cube_mm_h,
                              plural(static_cast<std::size_t>(spec_.pes_per_cube()), "PE"),
                              bandwidth_text(spec_.ucie_link_bw)));
    View view = drawing_.take();
    view.heading = "One SIP: cubes and IO chiplets";
    return view;
  }

 private:
  std::string cube_id(int index) const { return fmt::format("{}.cube{}", sip_, index); }
  int cube_index(int x, int y) const { return y * spec_.cube_mesh_w + x; }
  Rect cube_at(int x, int y) const { return {x * (cube_.w + kSeam), y * (cube_.h + kSeam), cube_.w, cube_.h}; }

  void draw_cubes() {
    const std::string pes = plural(static_cast<std::size_t>(spec_.pes_per_cube()), "PE");
    for (int y = 0; y < spec_.cube_mesh_h; ++y) {
      for (int x = 0; x < spec_.cube_mesh_w; ++x) {
        const int index = cube_index(x, y);
        const Rect at = cube_at(x, y);
        drawing_.container(cube_id(index), {fmt::format("cube{}", index), pes},
                           fmt::format("{}\n{} x {} mm\n{}", cube_id(index), spec_.cube_mm_w, spec_.cube_mm_h, pes),
                           Role::cube, at);
        if (x > 0) {
          drawing_.wire(cube_id(index - 1) + ".ucie-E", cube_id(index) + ".ucie-W",
                        {{at.x - kSeam, at.center().y}, {at.x, at.center().y}});
        }
        if (y > 0) {
          drawing_.wire(cube_id(index - spec_.cube_mesh_w) + ".ucie-S", cube_id(index) + ".ucie-N",
                        {{at.center().x, at.y - kSeam}, {at.center().x, at.y}});
        }
      }
    }
  }

  // Position of a box of size w x h outside the cubes, at a distance from `side` and centred at `along`.
  Rect outside(Side side, double along, double distance, double w, double h) const {
    switch (side) {
      case Side::N:
        return {along - w / 2, -distance - h, w, h};
      case Side::S:
        return {along - w / 2, array_.bottom() + distance, w, h};
      case Side::W:
        return {-distance - w, along - h / 2, w, h};
      case Side::E:
        return {array_.right() + distance, along - h / 2, w, h};
    }
    return {};
  }
  static double distance(Side side) { return vertical(side) ? kBesideDistance : kChipletDistance; }
  static bool vertical(Side side) { return side == Side::E || side == Side::W; }
  double along(const topology::CubePortSpec& port) const {
    const Point middle = cube_at(port.cube_x, port.cube_y).center();
    return vertical(port.cube_side) ? middle.y : middle.x;
  }

  // A chiplet is placed at the side of its first port; chiplets at one side are spaced in the order of their ports.
  void draw_chiplets(Side side) {
    std::vector<std::pair<double, const IoChipletSpec*>> here;
    for (const IoChipletSpec& chiplet : spec_.io_chiplets) {
      if (chiplet.cube_ports.empty() || chiplet.cube_ports.front().cube_side != side) continue;
      double sum = 0, count = 0;
      for (const auto& port : chiplet.cube_ports) {
        if (port.cube_side != side) continue;
        sum += along(port);
        ++count;
      }
      here.emplace_back(sum / count, &chiplet);
    }
    std::stable_sort(here.begin(), here.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    double free_from = -1e9;
    for (auto& [middle, chiplet] : here) {
      const double width = std::max(label_width("pcie_ep io_cpu io_noc"), label_width(chiplet->id)) + kGap;
      const double half = (vertical(side) ? kChipletHeight : width) / 2;
      middle = std::max(middle, free_from + half);
      free_from = middle + half + kGap;
      draw_chiplet(side, middle, width, *chiplet);
    }
  }

  void draw_chiplet(Side side, double middle, double width, const IoChipletSpec& chiplet) {
    const std::string id = sip_ + "." + chiplet.id;
    const Rect at = outside(side, middle, distance(side), width, kChipletHeight);
    drawing_.container(id, {chiplet.id, "pcie_ep io_cpu io_noc"}, id, Role::io, at);
    const Rect pcie = outside(side, middle, distance(side) + (vertical(side) ? width : kChipletHeight) + kPort,
                              label_width("fabric.switch0") + kGap, kPortHeight);
    const Point a = facing(side, pcie, true), b = facing(side, at, false);
    drawing_.container(id + ".pcie_ep", {"fabric.switch0"},
                       fmt::format("{}.pcie_ep to fabric.switch0, the way to the host and the other SIPs", id),
                       Role::pcie, pcie);
    drawing_.wire("fabric.switch0", id + ".pcie_ep", {a, b});
    for (const auto& port : chiplet.cube_ports) draw_port(at, side, id, port);
  }

  // Middle of the box's edge that faces the cubes (`inner`), or of the opposite edge.
  static Point facing(Side side, const Rect& at, bool inner) {
    if (vertical(side)) return {(side == Side::W) == inner ? at.right() : at.x, at.center().y};
    return {at.center().x, (side == Side::N) == inner ? at.bottom() : at.y};
  }

  void draw_port(const Rect& chiplet, Side side, const std::string& id, const topology::CubePortSpec& port) {
    const Rect at =
        outside(port.cube_side, along(port), kPort, std::min(label_width(port.phy) + 8, kWidestPort), kPortHeight);
    const std::string node = id + ".io_ucie-" + port.phy;
    drawing_.node(node, {port.phy}, Role::ucie, at);
    const int cube = cube_index(port.cube_x, port.cube_y);
    const std::string& letter = topology::side_names()[static_cast<std::size_t>(port.cube_side)];
    drawing_.wire(node, fmt::format("{}.ucie-{}", cube_id(cube), letter),
                  {facing(port.cube_side, at, true), facing(port.cube_side, cube_at(port.cube_x, port.cube_y), false)});
    if (port.cube_side == side) {
      drawing_.wire(id + ".io_noc", node + ".conn0", {facing(side, chiplet, true), facing(side, at, false)});
    } else {
      drawing_.wire(id + ".io_noc", node + ".conn0", around(chiplet, side, at, port.cube_side));
      ++detours_;
    }
  }

  // Path to a port at another side, around all cubes.
  std::vector<Point> around(const Rect& chiplet, Side from, const Rect& port, Side to) const {
    const double out = kPort + kPortHeight + 12 + 6 * (detours_ % 8);  // adjacent lanes
    const auto lane = [&](Side side) {
      return side == Side::N   ? -out
             : side == Side::S ? array_.bottom() + out
             : side == Side::W ? -out - 40
                               : array_.right() + out + 40;
    };
    const Point start = facing(from, chiplet, true), end = facing(to, port, false);
    const auto on_lane = [&](Side side, const Point& at) {
      return vertical(side) ? Point{lane(side), at.y} : Point{at.x, lane(side)};
    };
    const auto corner = [&](Side a, Side b) { return vertical(a) ? Point{lane(a), lane(b)} : Point{lane(b), lane(a)}; };
    std::vector<Point> path{start, on_lane(from, start)};
    if (vertical(from) != vertical(to)) {
      path.push_back(corner(from, to));
    } else {
      const Side between = vertical(from) ? Side::N : Side::E;
      path.push_back(corner(from, between));
      path.push_back(corner(to, between));
    }
    path.push_back(on_lane(to, end));
    path.push_back(end);
    return path;
  }

  Drawing drawing_;
  const topology::MachineSpec& spec_;
  std::string sip_;
  Rect cube_, array_;
  int detours_ = 0;
};

}  // namespace

View sip_view(const topology::LoadedTopology& machine, const std::string& sip) {
  return SipDrawing(machine, sip).draw();
}

}  // namespace kb::views
