// Runs a function on every SIP of a run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sw/distributed/spawn.h"

namespace kb::sw {

// Runs work(rank, ranks) in one rank per device of the run, bound to that device; returns the results by rank.
template <typename Work>
auto on_every_sip(Runtime& runtime, const std::string& name, Work work) {
  using Result = decltype(work(0, 0));
  const auto ranks = static_cast<int>(runtime.devices().size());
  std::vector<Result> results(runtime.devices().size());
  SpawnOptions options;
  options.name = name;
  spawn(
      runtime, ranks,
      [&](int rank) {
        const auto index = static_cast<std::size_t>(rank);
        runtime.set_device(runtime.devices()[index]);
        results[index] = work(rank, ranks);
      },
      options);
  return results;
}

}  // namespace kb::sw
