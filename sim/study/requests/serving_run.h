// A trace is served.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sw/profile/served_model.h"
#include "sw/serving/i_time_source.h"
#include "sw/serving/statistics.h"
#include "sw/serving/vllm_policy.h"

namespace kb::requests {

// What answers the requests.
struct ServingSetup {
  serving::ITimeSource* times = nullptr;
  profile::ServedModel model;
  profile::Ranks ranks;
  serving::VllmLimits limits;
};

struct Served {
  serving::Statistics statistics;
  serving::PolicyCounts counts;
  std::vector<std::string> abstractions;
};

struct ServingListeners {
  std::vector<serving::IServerObserver*> observers;
  bool keep_gaps = false;                            // jobs have the gaps between their tokens
  std::function<void(std::size_t finished)> tick{};  // after each step
};

std::unique_ptr<Served> serve(const ServingSetup& setup, const std::vector<serving::Request>& requests,
                              const ServingListeners& listeners = {});

}  // namespace kb::requests
