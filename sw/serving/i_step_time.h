// Seam: how long the model takes for a batch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/serving/batch.h"
#include "sw/serving/energy.h"

namespace kb::serving {

class IStepTime {
 public:
  virtual ~IStepTime() = default;
  // Nanoseconds of one step, at least 1, for a batch that is not empty.
  virtual std::int64_t step_ns(const Batch& batch) = 0;
  // Energy of the same step. No value: it is not counted.
  virtual std::optional<StepEnergy> step_energy(const Batch&) { return std::nullopt; }
  // What these times leave out or approximate, one sentence each. Called after the last step.
  virtual std::vector<std::string> abstractions() const = 0;
};

}  // namespace kb::serving
