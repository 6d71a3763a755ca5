// The one table of evaluations.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/evaluate/evaluation.h"

namespace kb::evaluate {

struct EvaluationEntry {
  const char* name;
  const char* summary;
  std::unique_ptr<IEvaluation> (*make)(const EvaluationOptions& options);
};

const std::vector<EvaluationEntry>& evaluations();

// Usage Error that suggests the nearest name.
const EvaluationEntry& find_evaluation(const std::string& name);

}  // namespace kb::evaluate
