// The time of a step, and its joules, as the sum of the launches of a simulated machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sw/profile/attention_work.h"
#include "sw/profile/launch_joules.h"
#include "sw/profile/launch_tables.h"
#include "sw/serving/i_step_time.h"

namespace kb::profile {

// Step = products + sums over SIPs, by tokens; head, by sequences; attention of the decodes, by their number and the
// mean of their contexts; attention of the chunks, by their new tokens and those before, and their work (M-131, M-132).
class LaunchStepTime final : public serving::IStepTime {
 public:
  // The tables outlive this. `sums`: several SIPs share the model. `joules`: null when energy is not counted.
  // `approximations`: sentences about the times in the tables.
  LaunchStepTime(LaunchTables& tables, const AttentionShape& shape, bool sums, LaunchJoules* joules = nullptr,
                 std::vector<std::string> approximations = {})
      : tables_(tables), shape_(shape), sums_(sums), joules_(joules), approximations_(std::move(approximations)) {}

  std::int64_t step_ns(const serving::Batch& batch) override;
  std::optional<serving::StepEnergy> step_energy(const serving::Batch& batch) override;
  std::vector<std::string> abstractions() const override;

 private:
  double step_of(LaunchTables& tables, const serving::Batch& batch) const;

  LaunchTables& tables_;
  AttentionShape shape_;
  bool sums_;
  LaunchJoules* joules_;
  std::vector<std::string> approximations_;
};

}  // namespace kb::profile
