// The figures of an evaluation: its scripts with the data that its queries give.
#pragma once

#include <string>
#include <vector>

#include "platform/data/sql_database.h"
#include "sim/study/evaluate/evaluation_file.h"
#include "sim/study/files/gnuplot.h"

namespace kb::evaluate {

// A figure for each entry, or for each row of its `each`; none of those whose queries give no data. `origin` becomes a
// variable of that name. Configuration Error at the place of a query.
std::vector<files::Figure> figures_of(const EvaluationSpec& spec, const data::SqlDatabase& database,
                                      const std::string& origin);

// Writes FOLDER/NAME.svg, NAME.png, NAME.pdf for a printed column, and NAME.gp, which draws the figure by hand. Returns
// the files.
std::vector<std::string> draw_figures(const std::vector<files::Figure>& figures, const std::string& folder, int jobs);

}  // namespace kb::evaluate
