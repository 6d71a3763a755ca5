#include "sim/study/requests/serving_run.h"

#include "sw/profile/profile_step_time.h"

namespace kb::requests {

std::unique_ptr<Served> serve(const ServingSetup& setup, const std::vector<serving::Request>& requests,
                              const ServingListeners& listeners) {
  auto served = std::make_unique<Served>();
  serving::VllmPolicy policy(setup.limits);
  profile::ProfileStepTime times(*setup.profile, setup.model, setup.ranks, setup.links);
  serving::Server server(requests, policy, times);
  server.add_observer(served->statistics);
  for (serving::IServerObserver* const observer : listeners.observers) server.add_observer(*observer);
  if (listeners.keep_gaps) server.keep_gaps();
  server.run([&] {
    if (listeners.tick) listeners.tick(server.finished());
  });
  served->counts = policy.counts();
  served->abstractions = times.abstractions();
  for (std::string& sentence : policy.abstractions()) served->abstractions.push_back(std::move(sentence));
  return served;
}

}  // namespace kb::requests
