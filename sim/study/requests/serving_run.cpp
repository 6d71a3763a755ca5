#include "sim/study/requests/serving_run.h"

namespace kb::requests {

std::unique_ptr<Served> serve(const ServingSetup& setup, const std::vector<serving::Request>& requests,
                              const ServingListeners& listeners) {
  auto served = std::make_unique<Served>();
  setup.times->prepare([&](serving::IStepTime& rehearsed) {
    serving::VllmPolicy policy(setup.limits);
    serving::Server(requests, policy, rehearsed).run();
  });
  serving::VllmPolicy policy(setup.limits);
  const std::unique_ptr<serving::IStepTime> times = setup.times->times();
  serving::Server server(requests, policy, *times);
  server.add_observer(served->statistics);
  for (serving::IServerObserver* const observer : listeners.observers) server.add_observer(*observer);
  if (listeners.keep_gaps) server.keep_gaps();
  server.run([&] {
    if (listeners.tick) listeners.tick(server.finished());
  });
  served->counts = policy.counts();
  served->abstractions = times->abstractions();
  for (std::string& sentence : policy.abstractions()) served->abstractions.push_back(std::move(sentence));
  return served;
}

}  // namespace kb::requests
