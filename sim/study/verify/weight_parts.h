// The part of a model's weights that a SIP has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/model/model_spec.h"
#include "platform/model/parallel_plan.h"
#include "platform/model/weights.h"
#include "sim/study/verify/model_weights.h"

namespace kb::verify {

class WeightParts {
 public:
  // The arguments outlive it.
  WeightParts(const model::ModelSpec& spec, const ModelWeights& weights, const model::ParallelPlan& plan);

  // Row-major values of these tensors on SIP `rank`, one above the other. Rows beyond the end are zero. A bias that is
  // added to a sum over SIPs is on the first one.
  std::vector<double> values(const std::vector<std::string>& names, std::int64_t rank) const;

 private:
  void append(const model::WeightTensor& weight, std::int64_t rank, std::vector<double>& out) const;

  const model::ModelSpec& spec_;
  const ModelWeights& weights_;
  model::ParallelPlan plan_;
  std::vector<model::WeightTensor> tensors_;
};

}  // namespace kb::verify
