// The tables of a profile as a source of times.
#pragma once

#include <memory>

#include "sw/profile/profile_step_time.h"
#include "sw/serving/i_time_source.h"

namespace kb::profile {

class ProfileSource final : public serving::ITimeSource {
 public:
  // As for ProfileStepTime.
  ProfileSource(KernelProfile& profile, const ServedModel& model, Ranks ranks, const RankLinks& links)
      : profile_(profile), model_(model), ranks_(ranks), links_(links) {}

  std::unique_ptr<serving::IStepTime> times() override {
    return std::make_unique<ProfileStepTime>(profile_, model_, ranks_, links_);
  }
  void prepare(const std::function<void(serving::IStepTime&)>&) override {}  // tables are complete

 private:
  KernelProfile& profile_;
  ServedModel model_;
  Ranks ranks_;
  RankLinks links_;
};

}  // namespace kb::profile
