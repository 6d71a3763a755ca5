// The model beside outside simulators, bounds and its own bars: every figure has a band, and one outside it fails.
#pragma once

#include <memory>

#include "sim/evaluate/evaluation.h"

namespace kb::evaluate {

// Usage Error for a section that there is not.
std::unique_ptr<IEvaluation> validation_evaluation(const EvaluationOptions& options);

}  // namespace kb::evaluate
