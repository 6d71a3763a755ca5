// Files for gnuplot by kind of plot; plots.h draws them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/study/sweep/plots.h"
#include "sim/study/sweep/table.h"

namespace kb::sweep {

// The script has no checksum yet. Program Error when there is nothing to draw.
PlotFiles line_files(const Plot& plot, const Table& table);
PlotFiles front_files(const Plot& plot, const Table& table);
PlotFiles heat_files(const Plot& plot, const Table& table);

// Returns the begin of a script: terminal, output, title and the names of both axes.
std::string script_head(const Plot& plot);
// Returns the commands that put words at 0, 1, ... of an axis.
std::string word_tics(const char* axis, const std::vector<std::string>& words);
// True when a row has the values that `where` requires.
bool is_wanted(const Plot& plot, const Table& table, const std::vector<nlohmann::ordered_json>& row);
[[noreturn]] void fail_empty(const Plot& plot, const std::string& column);

}  // namespace kb::sweep
