#include "sw/profile/launch_tables.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "platform/base/error.h"

namespace kb::profile {
namespace {

LaunchTables::Parts mixed(const LaunchTables::Parts& low, const LaunchTables::Parts& high, double weight) {
  LaunchTables::Parts out;
  for (std::size_t i = 0; i < low.size(); ++i) out.push_back(low[i] + weight * (high[i] - low[i]));
  return out;
}

// One axis of a table: cells that differ in the one key only.
class Axis {
 public:
  Axis(std::string table, std::int64_t exact_until) : exact_until_(exact_until) { result_.table = std::move(table); }

  // `step`: of a step with this cell.
  void add(std::int64_t other, std::int64_t key, const Cell& cell, double value, double step, double work = 1.0) {
    rows_[other].push_back({key, cell, value, step, work});
  }

  std::optional<LeaveOneOut> judge() {
    double sum = 0.0;
    for (auto& [other, row] : rows_) {
      std::sort(row.begin(), row.end(), [](const Point& a, const Point& b) { return a.key < b.key; });
      for (std::size_t i = 1; i + 1 < row.size(); ++i) sum += leave_out(row, i);
    }
    if (result_.cells == 0) return std::nullopt;
    result_.mean = sum / static_cast<double>(result_.cells);
    result_.of_step /= static_cast<double>(result_.cells);
    return result_;
  }

 private:
  struct Point {
    std::int64_t key;
    Cell cell;
    double value, step, work;
  };

  double leave_out(const std::vector<Point>& row, std::size_t i) {
    const Point &low = row[i - 1], &own = row[i], &high = row[i + 1];
    if (own.key <= exact_until_) return 0.0;
    const double weight = static_cast<double>(own.key - low.key) / static_cast<double>(high.key - low.key);
    const double per_work = low.value / low.work + weight * (high.value / high.work - low.value / low.work);
    const double difference = std::abs(per_work * own.work - own.value);
    const double error = difference / own.value;
    ++result_.cells;
    result_.of_step += difference / own.step;
    if (error > result_.most) {
      result_.most = error;
      result_.worst = own.cell;
    }
    return error;
  }

  std::int64_t exact_until_;  // keys up to this one are never interpolated
  std::map<std::int64_t, std::vector<Point>> rows_;
  LeaveOneOut result_;
};

}  // namespace

double sum_of(const LaunchTables::Parts& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

void LaunchTables::add(const Cell& cell, const std::vector<TimeFs>& times, double work) {
  Parts parts;
  for (const TimeFs time : times) parts.push_back(static_cast<double>(time.fs()));
  add_parts(cell, std::move(parts), work);
}

void LaunchTables::add_parts(const Cell& cell, Parts parts, double work) {
  if (parts.size() != parts_of(cell.kind)) throw Error::model("a cell of a launch table has a wrong number of parts");
  cells_[cell] = std::move(parts);
  if (work != 1.0) work_[cell] = work;
  wanted_.erase(cell);
}

LaunchTables::Parts LaunchTables::at(const Cell& cell) {
  const auto found = cells_.find(cell);
  if (found != cells_.end()) return found->second;
  wanted_.insert(cell);
  return estimate(cell);
}

LaunchTables::Parts LaunchTables::at(CellKind kind, const Knots& a, const Knots& b) {
  const auto over_b = [&](std::int64_t key) {
    const Parts low = at(Cell{kind, key, b.low});
    return b.low == b.high ? low : mixed(low, at(Cell{kind, key, b.high}), b.weight);
  };
  const Parts low = over_b(a.low);
  return a.low == a.high ? low : mixed(low, over_b(a.high), a.weight);
}

LaunchTables::Parts LaunchTables::at(CellKind kind, const Knots& a, const Knots& b, double work) {
  const auto per_work = [&](std::int64_t key) {
    const Cell low{kind, key, b.low}, high{kind, key, b.high};
    Parts parts = at(kind, {key, key, 0.0}, b);
    const double own = work_of(low, work) + b.weight * (work_of(high, work) - work_of(low, work));
    for (double& part : parts) part *= work / own;
    return parts;
  };
  const Parts low = per_work(a.low);
  return a.low == a.high ? low : mixed(low, per_work(a.high), a.weight);
}

double LaunchTables::work_of(const Cell& cell, double unknown) const {
  const auto found = work_.find(cell);
  return found == work_.end() ? unknown : found->second;
}

LaunchTables::Parts LaunchTables::estimate(const Cell& cell) const {
  constexpr double kFixed = 32;  // tokens that take as long as what does not depend on them
  const auto size = [](const Cell& one) {
    const double past = one.kind == CellKind::chunks ? static_cast<double>(one.b) : 0.0;
    const double context = one.kind == CellKind::decodes ? static_cast<double>(one.b) / 1024 : 1.0;
    return kFixed + static_cast<double>(one.a) * context + past;
  };
  const Cell* nearest = nullptr;
  double least = 0.0;
  for (auto at = cells_.lower_bound({cell.kind, 0, 0}); at != cells_.end() && at->first.kind == cell.kind; ++at) {
    const double distance = std::abs(std::log(size(cell) / size(at->first)));
    if (nearest != nullptr && distance >= least) continue;
    nearest = &at->first;
    least = distance;
  }
  if (nearest == nullptr) return Parts(parts_of(cell.kind));
  Parts parts = cells_.at(*nearest);
  for (double& part : parts) part *= size(cell) / size(*nearest);
  return parts;
}

double LaunchTables::step_fs(const Cell& cell) const {
  const auto sum = [&](CellKind kind, std::int64_t a, std::int64_t b) {
    const auto found = cells_.find({kind, a, b});
    return sum_of(found != cells_.end() ? found->second : estimate({kind, a, b}));
  };
  double step = sum(CellKind::products, cell.a, 0);
  const bool decodes = cell.kind == CellKind::decodes;
  step += decodes ? sum(CellKind::ends, cell.a, 0) : sum(CellKind::picked_ends, 1, 0);
  if (decodes || cell.kind == CellKind::chunks) {
    step += sum(cell.kind, cell.a, cell.b);
  } else {
    step += sum(CellKind::chunks, cell.a, 0);
  }
  const bool summed = cells_.lower_bound({CellKind::sums, 0, 0}) != cells_.end();
  return summed ? step + sum(CellKind::sums, cell.a, 0) : step;
}

std::vector<Cell> LaunchTables::take_wanted() {
  std::vector<Cell> wanted(wanted_.begin(), wanted_.end());
  wanted_.clear();
  return wanted;
}

std::vector<LeaveOneOut> LaunchTables::leave_one_out(std::int64_t exact_decodes) const {
  Axis products("products, over tokens", kExactCounts), sums("sums over SIPs, over tokens", kExactCounts);
  Axis decodes("attention of decodes, over contexts", 0), chunks("attention of chunks, over tokens", 0);
  Axis counts("attention of decodes, over their number", exact_decodes);
  Axis pasts("attention of chunks, over tokens before", 0);
  for (const auto& [cell, parts] : cells_) {
    const double all = sum_of(parts), step = step_fs(cell);
    // Beginnings and ends of steps of rows lie on different lines.
    if (cell.kind == CellKind::products) products.add(begins_rows(cell.a) ? 1 : 0, cell.a, cell, all, step);
    if (cell.kind == CellKind::sums) sums.add(0, cell.a, cell, all, step);
    if (cell.kind == CellKind::decodes) {
      decodes.add(cell.a, cell.b, cell, parts[0], step);
      if (!begins_rows(cell.a)) counts.add(cell.b, cell.a, cell, parts[0], step);
    }
    if (cell.kind != CellKind::chunks) continue;
    if (!begins_rows(cell.a)) chunks.add(cell.b, cell.a, cell, all, step, work_of(cell, 1.0));
    pasts.add(cell.a, cell.b, cell, all, step);
  }
  std::vector<LeaveOneOut> all;
  for (Axis* const axis : {&products, &decodes, &counts, &chunks, &pasts, &sums}) {
    if (std::optional<LeaveOneOut> result = axis->judge()) all.push_back(std::move(*result));
  }
  return all;
}

}  // namespace kb::profile
