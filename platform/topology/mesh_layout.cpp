#include "platform/topology/mesh_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace kb::topology {
namespace {

constexpr double kInset = 1.5;         // distance of the outermost PE centre from the cube's edge
constexpr double kPitch = 3.0;         // distance between the PEs of a corner
constexpr double kMaxSpacing = 3.0;    // wider gaps between columns get relay columns
constexpr double kHbmRowOffset = 1.5;  // distance of the HBM rows from the middle
constexpr double kHbmGap = 1.5;        // between the HBM rows and the PE rows
constexpr int kMinHoleCols = 4;

// Positions are whole micrometres, so that path lengths in micrometres are exact.
double micrometres(double mm) {
  return std::round(mm * 1000.0) / 1000.0;
}
std::int64_t to_um(double mm) {
  return std::llround(mm * 1000.0);
}

bool is_west(Corner corner) {
  return corner == Corner::NW || corner == Corner::SW;
}
bool is_north(Corner corner) {
  return corner == Corner::NW || corner == Corner::NE;
}

// T-43. If there are more PEs than fit at the usual pitch, they stay within their half of the cube.
std::vector<Position> pe_centers(const MachineSpec& spec) {
  const int n = spec.pe_per_corner;
  const double pitch = std::min(kPitch, std::floor((spec.cube_mm_w / 2 - kInset) / (n - 0.5) * 1000.0) / 1000.0);
  std::vector<Position> centers;
  for (Corner corner : spec.corners) {
    for (int k = 0; k < n; ++k) {
      const double x = is_west(corner) ? kInset + k * pitch : spec.cube_mm_w - kInset - (n - 1 - k) * pitch;
      const double y = is_north(corner) ? kInset : spec.cube_mm_h - kInset;
      centers.push_back({micrometres(x), micrometres(y)});
    }
  }
  return centers;
}

// T-44
std::vector<double> columns_of(const std::vector<Position>& centers, std::vector<double>& pe_columns) {
  for (const Position& center : centers) pe_columns.push_back(center.x);
  std::sort(pe_columns.begin(), pe_columns.end());
  pe_columns.erase(std::unique(pe_columns.begin(), pe_columns.end()), pe_columns.end());
  std::vector<double> columns;
  for (double x : pe_columns) {
    if (!columns.empty()) {
      const double left = columns.back();
      const double gap = x - left;
      const int relays = static_cast<int>(std::ceil(micrometres(gap) / kMaxSpacing - 1e-9)) - 1;
      for (int i = 1; i <= relays; ++i) columns.push_back(micrometres(left + gap * i / (relays + 1)));
    }
    columns.push_back(x);
  }
  return columns;
}

// T-45
std::vector<double> rows_of(const MachineSpec& spec, int per_half) {
  const double middle = spec.cube_mm_h / 2;
  const double last = middle - kHbmRowOffset - kHbmGap;
  std::vector<double> upper;
  for (int i = 0; i < per_half; ++i) {
    upper.push_back(micrometres(per_half == 1 ? kInset : kInset + (last - kInset) * i / (per_half - 1)));
  }
  std::vector<double> rows = upper;
  rows.push_back(micrometres(middle - kHbmRowOffset));
  rows.push_back(micrometres(middle + kHbmRowOffset));
  for (auto it = upper.rbegin(); it != upper.rend(); ++it) rows.push_back(micrometres(spec.cube_mm_h - *it));
  return rows;
}

int nearest_column(const std::vector<double>& columns, double x) {
  int best = 0;
  for (int c = 1; c < static_cast<int>(columns.size()); ++c) {
    const auto distance = [&](int col) { return std::abs(to_um(columns[static_cast<std::size_t>(col)]) - to_um(x)); };
    if (distance(c) < distance(best)) best = c;
  }
  return best;
}

// T-48: ties go to the lowest row, then column.
GridPoint nearest_router(const MeshLayout& mesh, double x, double y) {
  std::optional<GridPoint> best;
  std::int64_t best_square = 0;
  for (int row = 0; row < mesh.rows(); ++row) {
    for (int col = 0; col < mesh.cols(); ++col) {
      const GridPoint point{row, col};
      if (!mesh.exists(point)) continue;
      const Position p = mesh.position(point);
      const std::int64_t dx = to_um(p.x) - to_um(x);
      const std::int64_t dy = to_um(p.y) - to_um(y);
      const std::int64_t square = dx * dx + dy * dy;
      if (!best || square < best_square) {
        best = point;
        best_square = square;
      }
    }
  }
  return *best;
}

// Half of the entries from the left end of `columns`, half from the right (T-49).
std::vector<int> from_both_ends(const std::vector<int>& columns, int wanted) {
  const int size = static_cast<int>(columns.size());
  std::vector<int> out;
  for (int i = 0; i < wanted; ++i) {
    const int left = (wanted + 1) / 2;
    out.push_back(columns[static_cast<std::size_t>(i < left ? i : size - wanted + i)]);
  }
  return out;
}

// Columns of the N and S connections. If there are more connections than PE columns, relay columns are used as well,
// and beyond that several connections share a router (T-55).
std::vector<int> port_columns(const MeshLayout& mesh, const std::vector<double>& pe_columns, int connections) {
  std::vector<int> with_pes;
  for (double x : pe_columns) with_pes.push_back(nearest_column(mesh.column_x, x));
  if (connections <= static_cast<int>(with_pes.size())) return from_both_ends(with_pes, connections);
  std::vector<int> all;
  for (int c = 0; c < mesh.cols(); ++c) all.push_back(c);
  if (connections <= mesh.cols()) return from_both_ends(all, connections);
  std::vector<int> shared;
  for (int i = 0; i < connections; ++i) shared.push_back(i * mesh.cols() / connections);
  return shared;
}

void attach_ucie(MeshLayout& mesh, const std::vector<double>& pe_columns, int per_half, int connections) {
  const auto side = [&](Side s) -> std::vector<GridPoint>& { return mesh.ucie[static_cast<std::size_t>(s)]; };
  for (int i = 0; i < connections; ++i) {
    const int row = i < per_half ? i : i + 2;  // below the two HBM rows
    side(Side::E).push_back({row, mesh.cols() - 1});
    side(Side::W).push_back({row, 0});
  }
  for (int col : port_columns(mesh, pe_columns, connections)) {
    side(Side::N).push_back({0, col});
    side(Side::S).push_back({mesh.rows() - 1, col});
  }
}

}  // namespace

std::string router_name(GridPoint point) {
  return fmt::format("r{}c{}", point.row, point.col);
}

bool MeshLayout::exists(GridPoint point) const {
  if (point.row < 0 || point.col < 0 || point.row >= rows() || point.col >= cols()) return false;
  return std::find(holes.begin(), holes.end(), point) == holes.end();
}

Position MeshLayout::position(GridPoint point) const {
  return {column_x[static_cast<std::size_t>(point.col)], row_y[static_cast<std::size_t>(point.row)]};
}

int rows_per_half(const MachineSpec& spec) {
  const int for_connections = (std::max(spec.ucie_n_connections, 2) + 1) / 2;
  const bool east = std::any_of(spec.corners.begin(), spec.corners.end(), [](Corner c) { return !is_west(c); });
  return std::max(for_connections, east ? 2 : 1);
}

MeshLayout compute_mesh_layout(const MachineSpec& spec) {
  MeshLayout mesh;
  const int per_half = rows_per_half(spec);
  const std::vector<Position> centers = pe_centers(spec);
  std::vector<double> pe_columns;
  mesh.column_x = columns_of(centers, pe_columns);
  mesh.row_y = rows_of(spec, per_half);
  if (mesh.cols() >= kMinHoleCols) {  // T-46, T-55
    for (int row : {per_half, per_half + 1}) {
      for (int col : {mesh.cols() / 2 - 1, mesh.cols() / 2}) mesh.holes.push_back({row, col});
    }
  }
  for (std::size_t pe = 0; pe < centers.size(); ++pe) {  // T-47
    const Corner corner = spec.corners[pe / static_cast<std::size_t>(spec.pe_per_corner)];
    const int within_half = is_west(corner) ? 0 : 1;
    int row = is_north(corner) ? within_half : per_half + 2 + within_half;
    if (spec.pe_per_corner == 1) row = is_north(corner) ? 0 : mesh.rows() - 1;
    mesh.pes.push_back({{row, nearest_column(mesh.column_x, centers[pe].x)}, centers[pe]});
  }
  mesh.m_cpu = nearest_router(mesh, spec.m_cpu_x, spec.m_cpu_y);
  mesh.sram = nearest_router(mesh, spec.sram_x, spec.sram_y);
  attach_ucie(mesh, pe_columns, per_half, spec.ucie_n_connections);
  return mesh;
}

}  // namespace kb::topology
