// The time of a step as the sum of the launches of a simulated machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/profile/attention_work.h"
#include "sw/profile/launch_tables.h"
#include "sw/serving/i_step_time.h"

namespace kb::profile {

// Step = products + sums over SIPs, by tokens; head, by sequences; attention of the decodes, by their number and the
// mean of their contexts; attention of the chunks, by their new tokens and those before, and their work (M-131, M-132).
class LaunchStepTime final : public serving::IStepTime {
 public:
  // The tables outlive this. `sums`: several SIPs share the model.
  LaunchStepTime(LaunchTables& tables, const AttentionShape& shape, bool sums)
      : tables_(tables), shape_(shape), sums_(sums) {}

  std::int64_t step_ns(const serving::Batch& batch) override;
  std::vector<std::string> abstractions() const override;

 private:
  LaunchTables& tables_;
  AttentionShape shape_;
  bool sums_;
};

}  // namespace kb::profile
