// A heat map: the values of a column over two axes.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platform/base/error.h"
#include "sim/study/files/gnuplot.h"
#include "sim/study/sweep/plot_kinds.h"
#include "sim/study/sweep/selector.h"

namespace kb::sweep {
namespace {

constexpr std::size_t kCellsLabelled = 150;  // most cells that show their numbers

// Sorts numbers; other values keep the order of the table.
std::vector<Json> values_of(const Table& table, std::size_t column) {
  std::vector<Json> values;
  for (const std::vector<Json>& row : table.rows) {
    if (std::find(values.begin(), values.end(), row[column]) == values.end()) values.push_back(row[column]);
  }
  const bool numbers = std::all_of(values.begin(), values.end(), [](const Json& value) { return value.is_number(); });
  if (numbers) std::sort(values.begin(), values.end());
  return values;
}

std::vector<std::string> words_of(const std::vector<Json>& values) {
  std::vector<std::string> words;
  for (const Json& value : values) words.push_back(cell_text(value));
  return words;
}

struct Cells {
  std::vector<Json> xs, ys;
  std::map<std::pair<std::size_t, std::size_t>, double> value;
};

std::size_t place_in(const std::vector<Json>& values, const Json& value) {
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin());
}

// Each cell gets the best of the points that share it.
Cells cells_of(const Plot& plot, const Table& table) {
  const std::size_t x = column_index(table, plot.x), y = column_index(table, plot.y);
  const std::size_t value = column_index(table, plot.value);
  Cells cells{values_of(table, x), values_of(table, y), {}};
  for (const std::vector<Json>& row : table.rows) {
    if (!row[value].is_number() || !is_wanted(plot, table, row)) continue;
    const double number = row[value].get<double>();
    const auto [at, first] =
        cells.value.emplace(std::pair{place_in(cells.xs, row[x]), place_in(cells.ys, row[y])}, number);
    if (first) continue;
    if (!plot.best) {
      throw Error::program(
          "SEVERAL_POINTS_IN_A_CELL",
          fmt::format("in the plot '{}' several points share the cell {} = {}, {} = {}; choose one with "
                      "where, or make '{}' an objective",
                      plot.name, plot.x, cell_text(row[x]), plot.y, cell_text(row[y]), plot.value));
    }
    at->second = *plot.best == Goal::min ? std::min(at->second, number) : std::max(at->second, number);
  }
  return cells;
}

}  // namespace

PlotFiles heat_files(const Plot& plot, const Table& table) {
  const Cells cells = cells_of(plot, table);
  if (cells.value.empty()) fail_empty(plot, plot.value);
  PlotFiles files;
  files.data = fmt::format("# places of {} and {}, {}; made again by every call\n", plot.x, plot.y, plot.value);
  for (const auto& [place, value] : cells.value) {
    files.data += fmt::format("{} {} {}\n", place.first, place.second, files::plot_number(value));
  }
  files.script = script_head(plot) + word_tics("x", words_of(cells.xs)) + word_tics("y", words_of(cells.ys));
  files.script += "set cblabel " + files::plot_text(plot.value) + "\nunset key\n" +
                  "set palette defined (0 '#f7fcf0', 0.5 '#a8ddb5', 1 '#4eb3d3')\n";
  files.script += fmt::format(
      "plot '{0}.dat' using 1:2:(0.5):(0.5):3 with boxxyerror fillstyle solid noborder fillcolor palette", plot.name);
  if (cells.value.size() <= kCellsLabelled) {
    files.script += fmt::format(", \\\n     '{}.dat' using 1:2:(sprintf('%.4g', $3)) with labels", plot.name);
  }
  files.script += "\n";
  return files;
}

}  // namespace kb::sweep
