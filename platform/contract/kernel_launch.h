// The request that starts a kernel on the PEs of one SIP (H-31, H-35). Plain data.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/names.h"
#include "platform/base/units.h"
#include "platform/contract/failure_policy.h"
#include "platform/contract/kernel_arguments.h"

namespace kb::contract {

// PEs that come together before a queued launch starts: its own, and those that may still run kernels of launches
// before it on the SIP (H-49a). Every one of the PEs of every one of the cubes takes part.
struct StartBarrier {
  std::vector<CubeId> cubes;  // ascending
  std::vector<PeId> pes;      // ascending
};

// One launch on one SIP (H-31). Cubes and PEs are listed explicitly; neither list is empty.
struct KernelLaunch {
  std::string kernel;
  std::vector<KernelArg> args;  // one per parameter of the kernel, in order (bind_arguments)
  SipId sip;
  std::vector<CubeId> cubes;  // ascending
  std::vector<PeId> pes;      // ascending, the same in every cube
  FailurePolicy failure_policy = FailurePolicy::fail_fast;
  std::optional<TimeFs> target_start;  // absolute; without it IO_CPU stamps the launch (H-47, H-49)
  bool queued = false;  // starts when the launches before it on the SIP have ended, which the device finds out itself
  std::optional<StartBarrier> start_barrier;  // of a queued launch; no value: nothing before it is under way
  std::string label;                          // shown in reports only
  std::vector<std::string> ranges;            // of the host program, outermost first; shown in reports only

  bool runs_on(CubeId cube, PeId pe) const {
    return std::binary_search(cubes.begin(), cubes.end(), cube) && std::binary_search(pes.begin(), pes.end(), pe);
  }
  // Where the launch goes: PEs that run it or take part in its start barrier.
  const std::vector<CubeId>& receiving_cubes() const { return start_barrier ? start_barrier->cubes : cubes; }
  const std::vector<PeId>& receiving_pes() const { return start_barrier ? start_barrier->pes : pes; }

  std::string name() const { return launch_name(kernel, label); }
};

}  // namespace kb::contract
