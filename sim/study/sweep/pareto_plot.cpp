// Draws all points over two objectives and marks those on the Pareto front.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "sim/study/files/gnuplot.h"
#include "sim/study/sweep/front.h"
#include "sim/study/sweep/plot_kinds.h"
#include "sim/study/sweep/selector.h"

namespace kb::sweep {
namespace {

constexpr std::size_t kPointsLabelled = 20;  // most points of the front that show their numbers

using Places = std::vector<std::tuple<double, double, std::string>>;  // x, y, point

std::string block_of(const Places& places) {
  std::string text;
  for (const auto& [x, y, point] : places) {
    text += files::plot_number(x) + " " + files::plot_number(y) + " " + point + "\n";
  }
  return text;
}

// Returns the dominated points, and those on the front.
std::pair<Places, Places> places_on(const Plot& plot, const Table& table) {
  const std::size_t x = column_index(table, plot.x), y = column_index(table, plot.y);
  const std::size_t front = column_index(table, kFrontColumn);
  std::pair<Places, Places> places;
  for (const std::vector<Json>& row : table.rows) {
    if (!row[front].is_boolean()) continue;
    Places& chosen = row[front].get<bool>() ? places.second : places.first;
    chosen.emplace_back(row[x].get<double>(), row[y].get<double>(), cell_text(row.front()));
  }
  std::sort(places.second.begin(), places.second.end());
  return places;
}

const char* style_of(Plot::Edge edge) {
  switch (edge) {
    case Plot::Edge::across_first:
      return "steps";
    case Plot::Edge::up_first:
      return "fsteps";
    case Plot::Edge::none:
      break;
  }
  return nullptr;
}

}  // namespace

// The dominated points come last, because gnuplot does not count a block without points.
PlotFiles front_files(const Plot& plot, const Table& table) {
  const auto [others, front] = places_on(plot, table);
  if (front.empty()) fail_empty(plot, plot.y);
  PlotFiles files;
  files.data = fmt::format("# {} {} point: the front, then the others; made again by every call\n", plot.x, plot.y) +
               block_of(front) + (others.empty() ? "" : "\n\n" + block_of(others));
  std::string parts;
  const auto add = [&](const std::string& part) { parts += (parts.empty() ? "plot " : ", \\\n     ") + part; };
  const std::string data = "'" + plot.name + ".dat' index ";
  if (!others.empty()) add(data + "1 using 1:2 with points pointtype 7 linecolor rgb '#9a9a9a' title 'dominated'");
  if (style_of(plot.edge) != nullptr) {
    add(fmt::format("{}0 using 1:2 with {} linecolor rgb '#c0392b' notitle", data, style_of(plot.edge)));
  }
  add(data + "0 using 1:2 with points pointtype 7 pointsize 1.4 linecolor rgb '#c0392b' title 'Pareto front'");
  if (front.size() <= kPointsLabelled) add(data + "0 using 1:2:3 with labels offset 1,0.7 notitle");
  files.script = script_head(plot) +
                 "set grid\nset key outside right\nset offsets graph 0.03, graph 0.03, graph 0.05, graph 0.05\n" +
                 parts + "\n";
  return files;
}

}  // namespace kb::sweep
