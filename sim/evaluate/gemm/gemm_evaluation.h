// The GEMM sweep: one composite on one PE, shapes x operand staging (E-16 .. E-32).
#pragma once

#include <memory>
#include <vector>

#include "sim/evaluate/gemm/gemm_model.h"

namespace kb::evaluate {

// Usage Error naming the part of `options` that is not a list of shapes.
std::unique_ptr<IEvaluation> gemm_evaluation(const EvaluationOptions& options);

constexpr std::int64_t kMostTiles = 1 << 20;  // along a dimension: the largest shape in the smallest tiles

// The parts that are functions of the data file.
std::vector<Violation> check_gemm(const Json& data);
std::vector<Figure> gemm_figures(const Json& data);
std::vector<std::string> gemm_figure_names();
std::string gemm_csv(const Json& data);

}  // namespace kb::evaluate
