#include "sim/study/requests/step_samples.h"

#include <utility>

namespace kb::requests {

void StepSamples::on_step(const serving::StepRecord& step) {
  constexpr std::size_t kMost = 8;  // kept for each one that is chosen
  if (steps_ % stride_ == 0) {
    SampledStep kept{steps_, step.end_ns - step.begin_ns, {}, *step.batch};
    if (step.energy) kept.joules = step.energy->events.value;
    for (serving::BatchEntry& entry : kept.batch) entry.job = nullptr;
    kept_.push_back(std::move(kept));
  }
  ++steps_;
  if (kept_.size() < kMost * count_) return;
  std::vector<SampledStep> half;
  for (std::size_t i = 0; i < kept_.size(); i += 2) half.push_back(std::move(kept_[i]));
  kept_ = std::move(half);
  stride_ *= 2;
}

std::vector<SampledStep> StepSamples::steps_chosen() const {
  if (kept_.size() <= count_) return kept_;
  std::vector<SampledStep> chosen;
  for (std::size_t i = 0; i < count_; ++i) chosen.push_back(kept_[i * kept_.size() / count_]);
  return chosen;
}

}  // namespace kb::requests
