// Plots of a sweep as gnuplot scripts that a user can edit.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/error.h"
#include "sim/study/sweep/objectives.h"

namespace kb::sweep {

struct Table;

struct Plot {
  enum class Kind : std::uint8_t { lines, pareto, heat };
  // Line between the points of a front: none, or steps around the area that they dominate.
  enum class Edge : std::uint8_t { none, across_first, up_first };

  Kind kind = Kind::lines;
  std::string name;  // prefix of its files
  std::string x, y;
  std::string series;        // lines: one per value of this column; "" = a single line
  std::string value;         // heat map: the column shown
  std::optional<Goal> best;  // heat map: selects one of several points in a cell
  Edge edge = Edge::none;    // Pareto front
  std::string title;
  Diagnostic place = {};                                   // position in the file; message and remedy are empty
  std::vector<std::pair<std::string, std::string>> where;  // required values of columns
  std::vector<Diagnostic> where_places;                    // positions in the file; message and remedy are empty
  bool log_x = false, log_y = false;
};

// True when an axis value of the file equals `wanted`, as a text or as a number.
bool is_value_of_axis(const std::string& value, const std::string& wanted);
bool is_number_of_axis(const std::string& value);

// Input files of gnuplot, as kernbench generates them.
struct PlotFiles {
  std::string data;    // NAME.dat
  std::string script;  // NAME.gp
};
// Program Error when no point has a number for the plot.
PlotFiles plot_files(const Plot& plot, const Table& table);

// True when the script is unmodified output of plot_files(), for any table.
bool is_generated_script(const std::string& script);

// Writes NAME.dat, NAME.gp, NAME.svg and NAME.png of all plots into `folder`, or nothing on failure. A script that the
// user has edited is kept and drawn. Configuration Error when gnuplot is missing or fails. Returns the file names.
std::vector<std::string> draw_plots(const std::vector<Plot>& plots, const Table& table, const std::string& folder);

}  // namespace kb::sweep
