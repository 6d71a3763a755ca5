// Grouped-query attention (E-68 .. E-73, K-87, K-92): operation counts of the four panels, their times at the scale of
// a model, and how they grow with the queries.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/evaluate/evaluation.h"

namespace kb::evaluate {

// Usage Error for choices of the command line: there are none here.
std::unique_ptr<IEvaluation> gqa_evaluation(const EvaluationOptions& options);

// The parts that are functions of the data file.
std::vector<Violation> check_gqa(const Json& data);
std::vector<Figure> gqa_figures(const Json& data);
std::vector<std::string> gqa_figure_names();
std::string gqa_csv(const Json& data);

// Names of the five counts of E-70 in the data file.
const std::vector<std::string>& gqa_counts();
// Runs of one set of the data file: "validation", "headline", "scaling".
std::vector<Json> gqa_runs(const Json& data, const std::string& set);

}  // namespace kb::evaluate
