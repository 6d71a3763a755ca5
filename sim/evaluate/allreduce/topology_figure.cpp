// Ways of the reduction between SIPs and inside one (E-89): a function of counts alone.
#include <fmt/format.h>

#include <vector>

#include "sim/evaluate/allreduce/allreduce_evaluation.h"
#include "sim/evaluate/bars.h"
#include "sim/evaluate/lines.h"

namespace kb::evaluate {
namespace {

constexpr int kWidth = 1180, kHeight = 980;    // pixels
constexpr double kHalfW = 0.3, kHalfH = 0.22;  // of a box; boxes are 1 apart
constexpr double kBeside = 0.12;               // of arrows at one edge from its middle

struct XY {
  double x = 0, y = 0;
};

// Boxes in columns and rows, the first row at the top, with arrows between them.
class Panel {
 public:
  Panel(int columns, int rows, double margin, double bottom, double top) {
    script_ = fmt::format("unset object\nunset arrow\nset xrange [{}:{}]\nset yrange [{}:{}]\n", plot_number(-margin),
                          plot_number(columns - 1 + margin), plot_number(1 - rows - bottom), plot_number(top));
  }

  void box(int column, int row, const std::string& text, const char* fill) {
    const double x = column, y = -row;
    script_ += fmt::format(
        "set object rectangle from {},{} to {},{} fillcolor rgb '{}' fillstyle solid 1.0 border linecolor rgb "
        "'#555555'\nset label {} at {},{} center font ',10'\n",
        plot_number(x - kHalfW), plot_number(y - kHalfH), plot_number(x + kHalfW), plot_number(y + kHalfH), fill,
        plot_text(text), plot_number(x), plot_number(y));
  }

  // From edge to edge of two boxes in one row or column; `side` moves it off the middle.
  void link(int column, int row, int to_column, int to_row, const char* colour, double side = 0) {
    const int dx = (to_column > column) - (to_column < column), dy = (to_row > row) - (to_row < row);
    const XY from{column + dx * kHalfW + (dy != 0 ? side : 0), -row - dy * kHalfH + (dx != 0 ? side : 0)};
    const XY to{to_column - dx * kHalfW + (dy != 0 ? side : 0), -to_row + dy * kHalfH + (dx != 0 ? side : 0)};
    arrow(from, to, colour);
  }

  // Back from the last to the first column of a row, above it.
  void wrap_row(int row, int last, const char* colour) {
    const double y = -row + kHalfH;
    arc({last - kBeside, y}, {last - 0.15 - kBeside, y + 0.35}, {0.15 + kBeside, y + 0.35}, {kBeside, y}, colour);
  }
  // Back from the last to the first row of a column, to its left or right.
  void wrap_column(int column, int last, bool left, const char* colour) {
    const double x = left ? column - kHalfW : column + kHalfW, out = left ? x - 0.4 : x + 0.4;
    arc({x, -static_cast<double>(last)}, {out, -last + 0.2}, {out, -0.2}, {x, 0}, colour);
  }

  std::string finish(const std::string& title, const std::string& text) const {
    return script_ + "set title " + plot_text(title) + " font ',12'\nset xlabel " + plot_text(text) + " font ',10'\n" +
           data_ + "plot " + (curves_.empty() ? std::string("NaN notitle") : curves_) + "\n" + "unset label\n";
  }

 private:
  void arrow(const XY& from, const XY& to, const char* colour) {
    script_ += fmt::format("set arrow from {},{} to {},{} linecolor rgb '{}' linewidth 2 filled front\n",
                           plot_number(from.x), plot_number(from.y), plot_number(to.x), plot_number(to.y), colour);
  }

  // A cubic Bezier curve with a head at its end.
  void arc(const XY& a, const XY& b, const XY& c, const XY& d, const char* colour) {
    constexpr int kSteps = 96, kHead = 15;
    const std::string block = fmt::format("$arc{}", arcs_++);
    XY before = a;
    data_ += block + " << END\n";
    for (int i = 0; i <= kSteps; ++i) {
      const double t = static_cast<double>(i) / kSteps, u = 1 - t;
      const auto at = [&](double p, double q, double r, double s) {
        return u * u * u * p + 3 * u * u * t * q + 3 * u * t * t * r + t * t * t * s;
      };
      const XY now{at(a.x, b.x, c.x, d.x), at(a.y, b.y, c.y, d.y)};
      data_ += plot_number(now.x) + " " + plot_number(now.y) + "\n";
      if (i == kSteps - kHead) before = now;
      if (i == kSteps) arrow(before, now, colour);
    }
    data_ += "END\n";
    curves_ += (curves_.empty() ? "" : ", ") +
               fmt::format("{} using 1:2 with lines linecolor rgb '{}' linewidth 2 notitle", block, colour);
  }

  std::string script_, data_, curves_;
  int arcs_ = 0;
};

constexpr const char* kSip = "#e8eef7";
constexpr const char* kRoot = "#f9d7a0";

std::string ring_panel(int n) {
  Panel panel(n, 1, 0.6, 1.2, 1.6);
  for (int i = 0; i < n; ++i) {
    panel.box(i, 0, fmt::format("SIP {}", i), kSip);
    if (i > 0) panel.link(i - 1, 0, i, 0, kBlue);
  }
  if (n > 1) panel.wrap_row(0, n - 1, kBlue);
  return panel.finish(
      fmt::format("Ring of {}", n),
      fmt::format("{} rounds: send global_E, receive global_W; each passes on what it received", n - 1));
}

std::string torus_panel(int w, int h) {
  Panel panel(w, h, 1.0, 0.6, 0.9);
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      panel.box(x, y, fmt::format("SIP {}", y * w + x), kSip);
      if (x > 0) panel.link(x - 1, y, x, y, kBlue);
      if (y > 0) panel.link(x, y - 1, x, y, kGreen, 2 * x < w ? -kBeside : kBeside);
    }
    if (w > 1) panel.wrap_row(y, w - 1, kBlue);
  }
  for (int x = 0; x < w && h > 1; ++x) panel.wrap_column(x, h - 1, x < (w + 1) / 2, kGreen);
  return panel.finish(fmt::format("Torus of {} x {}", w, h),
                      fmt::format("{} along the row (blue), then {} along the column (green)",
                                  w == 2 ? "1 round" : fmt::format("{} rounds", w - 1),
                                  h == 2 ? "1 round" : fmt::format("{} rounds", h - 1)));
}

std::string mesh_panel(int w, int h) {
  constexpr double kApart = 0.07;  // of the two directions
  Panel panel(w, h, 1.0, 0.6, 0.6);
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      panel.box(x, y, fmt::format("SIP {}", y * w + x), kSip);
      if (x > 0) {
        panel.link(x - 1, y, x, y, kBlue, kApart);
        panel.link(x, y, x - 1, y, kCyan, -kApart);
      }
      if (y > 0) {
        panel.link(x, y - 1, x, y, kGreen, -kApart);
        panel.link(x, y, x, y - 1, kYellow, kApart);
      }
    }
  }
  return panel.finish(
      fmt::format("Mesh of {} x {}, no wrap", w, h),
      "rows: sums go east (blue) and back west (cyan);\ncolumns: then south (green) and back north (yellow)");
}

std::string cubes_panel(int w, int h, int root) {
  const int column = root % w, row = root / w;
  Panel panel(w, h, 0.6, 0.6, 0.6);
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const int cube = y * w + x;
      panel.box(x, y, fmt::format("cube {}", cube), cube == root ? kRoot : kSip);
      if (x < column) panel.link(x, y, x + 1, y, kBlue);
      if (x > column) panel.link(x, y, x - 1, y, kBlue);
    }
    if (y < row) panel.link(column, y, column, y + 1, kRed);
    if (y > row) panel.link(column, y, column, y - 1, kRed);
  }
  return panel.finish(
      "Inside each SIP: cubes to the root and back",
      "to the root (orange) along the rows (blue), then along its column (red);\nafter the exchange between the "
      "SIPs back the same ways");
}

constexpr int kMostBoxes = 1024;  // in a row or column

int small(const Json& object, const char* member) {
  return static_cast<int>(whole_number(object, member, 0, kMostBoxes));
}

// Of the first run with this topology.
std::pair<int, int> grid(const Json& data, const std::string& topology) {
  for (const Json& run : data.at("runs")) {
    if (run.at("topology") == topology) return {small(run, "w"), small(run, "h")};
  }
  return {1, 1};
}

}  // namespace

Figure allreduce_topology_figure(const Json& data) {
  const auto [torus_w, torus_h] = grid(data, "torus_2d");
  const auto [mesh_w, mesh_h] = grid(data, "mesh_2d_no_wrap");
  const Json& machine = data.at("machine");
  std::string script =
      "set encoding utf8\n" +
      caption(
          {"Drawn from the description of the machine and of lrab_hierarchical_allreduce; nothing is measured here. "
           "Between the SIPs the roots of all SIPs exchange.",
           origin_of(data)},
          kHeight) +
      "set multiplot layout 2,2 margins 0.03,0.97,0.12,0.90 spacing 0.04,0.15 title " +
      plot_text("Who sends to whom in an all-reduce") + " font ',14'\n" + "unset border\nunset tics\nunset key\n" +
      ring_panel(small(data, "sips")) + torus_panel(torus_w, torus_h) + mesh_panel(mesh_w, mesh_h) +
      cubes_panel(static_cast<int>(whole_number(machine, "cube_mesh_w", 1, kMostBoxes)), small(machine, "cube_mesh_h"),
                  static_cast<int>(whole_number(machine, "centre_cube", 0, kMostCubes))) +
      "unset multiplot\n";
  return {"allreduce_topology", std::move(script), kWidth, kHeight};
}

}  // namespace kb::evaluate
