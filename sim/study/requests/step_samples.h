// Steps of a run, spread evenly over it, to be looked at afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sw/serving/server.h"

namespace kb::requests {

struct SampledStep {
  std::int64_t number = 0;  // from 0
  std::int64_t ns = 0;
  std::optional<double> joules;  // without static power
  serving::Batch batch;          // without jobs
};

class StepSamples final : public serving::IServerObserver {
 public:
  explicit StepSamples(std::size_t count) : count_(count) {}

  void on_step(const serving::StepRecord& step) override;
  void on_token(std::int64_t) override {}
  void on_finished(const serving::Job&) override {}

  std::int64_t steps() const { return steps_; }
  // At most `count` of them, in order.
  std::vector<SampledStep> steps_chosen() const;

 private:
  std::size_t count_;
  std::int64_t steps_ = 0, stride_ = 1;
  std::vector<SampledStep> kept_;  // every stride-th step
};

// A step whose launches have all been simulated, beside its time in the run.
struct StepCheck {
  std::int64_t number = 0, tokens = 0, sequences = 0;
  std::int64_t ns = 0, exact_ns = 0;
  std::optional<double> joules = {}, exact_joules = {};  // where they are counted, without static power
  double error() const { return static_cast<double>(ns - exact_ns) / static_cast<double>(exact_ns); }
  double joules_error() const { return *joules / *exact_joules - 1.0; }
};

}  // namespace kb::requests
