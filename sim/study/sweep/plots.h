// Figures of a sweep, as gnuplot scripts that a user can edit.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/base/error.h"

namespace kb::sweep {

struct Table;

struct Plot {
  std::string name;  // of its files
  std::string x, y;
  std::string series;  // one line per value; "" = one line
  std::string title;
  std::vector<std::pair<std::string, std::string>> where;  // columns and the values that they have to have
  std::vector<Diagnostic> where_places;                    // of each, in the file; message and remedy are empty
  bool log_x = false, log_y = false;
};

// Whether a value of an axis, as it stands in the file, is one that `where` names: equal as a text, or as a number.
bool is_value_of_axis(const std::string& value, const std::string& wanted);

// What gnuplot reads, by kernbench's own hand.
struct PlotFiles {
  std::string data;    // NAME.dat
  std::string script;  // NAME.gp
};
// Program Error when no point has a number for y.
PlotFiles plot_files(const Plot& plot, const Table& table);

// True when a script is as plot_files() made it, for whatever table: nobody has edited it.
bool is_own_script(const std::string& script);

// Writes NAME.dat, NAME.gp, NAME.svg and NAME.png of each into `folder`, all or none. A script that the user has edited
// stays and is drawn. Configuration Error when gnuplot is missing or fails. Returns the files.
std::vector<std::string> draw_plots(const std::vector<Plot>& plots, const Table& table, const std::string& folder);

}  // namespace kb::sweep
