// The figures of an evaluation: gnuplot scripts with the results of queries.
#pragma once

#include <string>
#include <vector>

#include "platform/data/sql_database.h"
#include "sim/study/evaluate/evaluation_file.h"
#include "sim/study/files/gnuplot.h"

namespace kb::evaluate {

// One figure per entry, or per row of its `each`; entries whose queries return no data are skipped. `origin` becomes a
// gnuplot variable of that name. Configuration Error at the position of a query.
std::vector<files::Figure> figures_of(const EvaluationSpec& spec, const data::SqlDatabase& database,
                                      const std::string& origin);

// Writes FOLDER/NAME.svg, NAME.png, NAME.pdf for a printed column, and NAME.gp, with which the figure can be redrawn
// manually. Returns the file names.
std::vector<std::string> draw_figures(const std::vector<files::Figure>& figures, const std::string& folder, int jobs);

}  // namespace kb::evaluate
