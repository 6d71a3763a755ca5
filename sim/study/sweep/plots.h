// Plots of a sweep as gnuplot scripts that a user can edit.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/base/error.h"

namespace kb::sweep {

struct Table;

struct Plot {
  std::string name;  // prefix of its files
  std::string x, y;
  std::string series;  // one line per value of this column; "" = a single line
  std::string title;
  std::vector<std::pair<std::string, std::string>> where;  // required values of columns
  std::vector<Diagnostic> where_places;                    // positions in the file; message and remedy are empty
  bool log_x = false, log_y = false;
};

// True when an axis value of the file equals `wanted`, as a text or as a number.
bool is_value_of_axis(const std::string& value, const std::string& wanted);

// Input files of gnuplot, as kernbench generates them.
struct PlotFiles {
  std::string data;    // NAME.dat
  std::string script;  // NAME.gp
};
// Program Error when no point has a number for y.
PlotFiles plot_files(const Plot& plot, const Table& table);

// True when the script is unmodified output of plot_files(), for any table.
bool is_own_script(const std::string& script);

// Writes NAME.dat, NAME.gp, NAME.svg and NAME.png of all plots into `folder`, or nothing on failure. A script that the
// user has edited is kept and drawn. Configuration Error when gnuplot is missing or fails. Returns the file names.
std::vector<std::string> draw_plots(const std::vector<Plot>& plots, const Table& table, const std::string& folder);

}  // namespace kb::sweep
