// The chain of waits for messages of the last-ending PE, followed back to its origin.
#pragma once

#include <vector>

#include "sim/analysis/findings/case.h"

namespace kb::sim {

struct MessageChain {
  // The time of a PE in the chain from the end of its wait, or the start of its kernel, to its send.
  struct Stay {
    PeCoord pe;
    TimeFs begin = 0_fs, end = 0_fs;
  };
  std::vector<ChainLink> links;  // last link first
  std::vector<Stay> stays;       // of the sender of each link
  Stay rest;                     // of the last-ending PE, from the end of its last wait to the end of its kernel
  TimeFs begin = 0_fs;           // start of the kernel at the origin

  TimeFs time() const { return links.front().received - begin; }
  const PeCoord& origin() const { return links.back().sender; }
};

// Without links when the PE waited for no message; `rest` is its whole kernel then. Needs `waits`.
MessageChain message_chain_of(const LaunchCase& launch_case);

}  // namespace kb::sim
