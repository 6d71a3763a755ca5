// One PE to another as a message or as a store (E-62 .. E-67), and what the memory of the rings costs (E-47).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/evaluate/evaluation.h"

namespace kb::evaluate {

// Usage Error for choices of the command line: there are none here.
std::unique_ptr<IEvaluation> pe2pe_evaluation(const EvaluationOptions& options);

// The parts that are functions of the data file.
std::vector<Violation> check_pe2pe(const Json& data);
std::vector<Figure> pe2pe_figures(const Json& data);
std::vector<std::string> pe2pe_figure_names();
std::string pe2pe_csv(const Json& data);

}  // namespace kb::evaluate
