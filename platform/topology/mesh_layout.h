// The router grid of a cube: positions, hole and attachments. It depends only on geometry, PE layout, and number and
// placement of UCIe connections (T-42 .. T-56).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/error.h"
#include "platform/topology/graph.h"
#include "platform/topology/machine_spec.h"

namespace kb::topology {

// Included in the source hash, so that a layout file of another version of the algorithm is rejected.
inline constexpr int kLayoutVersion = 1;

struct GridPoint {
  int row = 0;
  int col = 0;
  friend bool operator==(GridPoint a, GridPoint b) { return a.row == b.row && a.col == b.col; }
};
std::string router_name(GridPoint point);  // "r2c0"

struct PeAttachment {
  GridPoint router;
  Position center;  // mm
};

struct MeshLayout {
  std::vector<double> column_x;                // mm, ascending
  std::vector<double> row_y;                   // mm, ascending (southwards)
  std::vector<GridPoint> holes;                // row-major
  std::vector<PeAttachment> pes;               // indexed by PE
  std::array<std::vector<GridPoint>, 4> ucie;  // indexed by Side, then connection
  GridPoint m_cpu, sram;

  int rows() const { return static_cast<int>(row_y.size()); }
  int cols() const { return static_cast<int>(column_x.size()); }
  bool exists(GridPoint point) const;  // true inside the grid and outside the hole
  Position position(GridPoint point) const;
  int router_count() const { return rows() * cols() - static_cast<int>(holes.size()); }
};

// Number of PE rows above (and below) the two HBM rows: T-45, increased if the corners need more (T-55).
int rows_per_half(const MachineSpec& spec);

// Implements T-43..T-49 and T-55. The spec must have passed check_machine.
MeshLayout compute_mesh_layout(const MachineSpec& spec);

// SHA-256 of the canonical text of the inputs listed in T-57 and of the algorithm's version.
std::string mesh_source_hash(const MachineSpec& spec);

// Writes the layout as YAML (T-57) and reads it. Reading checks the hash against `spec` and that all attached routers
// exist; problems are appended with line and column.
std::string mesh_to_yaml(const MeshLayout& mesh, const MachineSpec& spec);
MeshLayout mesh_from_yaml(const std::string& text, const std::string& file, const MachineSpec& spec,
                          std::vector<Diagnostic>& diagnostics);

}  // namespace kb::topology
