// Times of a machine's launches by cell, or their joules, and which ones a run still needs.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "platform/base/units.h"
#include "sw/profile/launch_cell.h"

namespace kb::profile {

// How well the other cells of a table tell one that is left out, by a straight line between its two neighbours: of the
// time, or the time per work.
struct LeaveOneOut {
  std::string table;      // "attention of decodes, over contexts"
  std::size_t cells = 0;  // that have two neighbours
  double mean = 0.0;      // of the differences' amounts, as shares of the cell
  double most = 0.0;
  Cell worst;
  double of_step = 0.0;  // mean difference as a share of the step that the cell stands for
};

class LaunchTables {
 public:
  using Parts = std::vector<double>;  // fs, or joules

  // As many times as parts_of(cell.kind). `work`: of a cell of chunks, in any unit.
  void add(const Cell& cell, const std::vector<TimeFs>& times, double work = 1.0);
  void add_parts(const Cell& cell, Parts parts, double work = 1.0);
  bool has(const Cell& cell) const { return cells_.count(cell) != 0; }
  const std::map<Cell, Parts>& cells() const { return cells_; }

  // A cell that is not there is noted as wanted; its times are then those of the cell of its kind that is nearest,
  // scaled by tokens, or 0 when there is none.
  Parts at(const Cell& cell);
  // Parts of a kind at any key, on straight lines: first over b, then over a.
  Parts at(CellKind kind, const Knots& a, const Knots& b = {});
  // Chunks with so much work: first time and work over b, then time per work over a (M-132).
  Parts at(CellKind kind, const Knots& a, const Knots& b, double work);

  // Cells that were asked for and are not there; forgets them.
  std::vector<Cell> take_wanted();

  // Errors of each table and axis on which times are interpolated; numbers of decodes are those above `exact_decodes`.
  std::vector<LeaveOneOut> leave_one_out(std::int64_t exact_decodes) const;

 private:
  Parts estimate(const Cell& cell) const;
  // `unknown`: that of a cell whose work was not given.
  double work_of(const Cell& cell, double unknown) const;
  // Launches of a step with this cell: decodes alone, or a chunk alone.
  double step_fs(const Cell& cell) const;

  std::map<Cell, Parts> cells_;
  std::map<Cell, double> work_;  // that is not 1
  std::set<Cell> wanted_;
};

double sum_of(const LaunchTables::Parts& parts);

}  // namespace kb::profile
