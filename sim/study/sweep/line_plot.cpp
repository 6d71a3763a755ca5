// Draws lines of one column over another one.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/study/files/gnuplot.h"
#include "sim/study/sweep/plot_kinds.h"
#include "sim/study/sweep/selector.h"

namespace kb::sweep {
namespace {

// The points of one line.
struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

struct Drawing {
  std::vector<Series> series;
  std::vector<std::string> words;  // values of a text axis, at 0, 1, ...
  bool repeated = false;           // a series has several points with equal x
};

Drawing lines_of(const Plot& plot, const Table& table) {
  const std::size_t x = column_index(table, plot.x), y = column_index(table, plot.y);
  const bool split = !plot.series.empty();
  const std::size_t by = split ? column_index(table, plot.series) : 0;
  const bool text =
      std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return row[x].is_string(); });
  Drawing drawing;
  std::map<std::string, std::size_t> places;
  for (const std::vector<Json>& row : table.rows) {
    if (!row[y].is_number() || row[x].is_null() || !is_wanted(plot, table, row)) continue;
    const std::string name = !split ? "" : row[by].is_null() ? "null" : cell_text(row[by]);
    const auto found =
        std::find_if(drawing.series.begin(), drawing.series.end(), [&](const Series& one) { return one.name == name; });
    Series& series = found != drawing.series.end() ? *found : drawing.series.emplace_back(Series{name, {}});
    double at = 0.0;
    if (text) {
      const auto place = places.emplace(cell_text(row[x]), places.size());
      if (place.second) drawing.words.push_back(cell_text(row[x]));
      at = static_cast<double>(place.first->second);
    } else {
      at = row[x].get<double>();
    }
    series.points.emplace_back(at, row[y].get<double>());
  }
  for (Series& series : drawing.series) {
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 1; i < series.points.size(); ++i) {
      drawing.repeated = drawing.repeated || series.points[i].first == series.points[i - 1].first;
    }
  }
  return drawing;
}

std::string data_of(const Plot& plot, const Drawing& drawing) {
  std::string text =
      fmt::format("# {} {}: one block per line of the figure; made again by every call\n", plot.x, plot.y);
  for (std::size_t i = 0; i < drawing.series.size(); ++i) {
    if (i > 0) text += "\n\n";
    for (const auto& [x, y] : drawing.series[i].points) {
      text += files::plot_number(x) + " " + files::plot_number(y) + "\n";
    }
  }
  return text;
}

std::string script_of(const Plot& plot, const Drawing& drawing) {
  std::string text = script_head(plot) + "set grid\n";
  if (plot.log_x) text += "set logscale x 2\n";
  if (plot.log_y) text += "set logscale y\n";
  if (!plot.log_y) text += "set yrange [0:*]\n";
  if (!drawing.words.empty()) text += word_tics("x", drawing.words);
  text += plot.series.empty() ? "unset key\n" : "set key outside right title " + files::plot_text(plot.series) + "\n";
  for (std::size_t i = 0; i < drawing.series.size(); ++i) {
    text += i == 0 ? "plot " : ", \\\n     ";
    text += fmt::format("'{}.dat' index {} using 1:2 with {} pointtype 7 {}", plot.name, i,
                        drawing.repeated ? "points" : "linespoints", files::plot_title(drawing.series[i].name));
  }
  return text + "\n";
}

}  // namespace

PlotFiles line_files(const Plot& plot, const Table& table) {
  const Drawing drawing = lines_of(plot, table);
  if (drawing.series.empty()) fail_empty(plot, plot.y);
  return {data_of(plot, drawing), script_of(plot, drawing)};
}

}  // namespace kb::sweep
