// Seam: where the times of steps come from.
#pragma once

#include <functional>
#include <memory>

#include "sw/serving/i_step_time.h"

namespace kb::serving {

class ITimeSource {
 public:
  virtual ~ITimeSource() = default;

  // Times for one run.
  virtual std::unique_ptr<IStepTime> times() = 0;
  // Called before a run. `rehearse` does the same run, with the times that it gets and without results, so that a
  // source can learn what the run will need; it may be called any number of times.
  virtual void prepare(const std::function<void(IStepTime& times)>& rehearse) = 0;
};

}  // namespace kb::serving
