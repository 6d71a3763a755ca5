// The request that starts a kernel on the PEs of one SIP (H-31, H-35). Plain data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/names.h"
#include "platform/base/units.h"
#include "platform/contract/failure_policy.h"
#include "platform/contract/kernel_arguments.h"

namespace kb::contract {

// One launch on one SIP (H-31). Cubes and PEs are listed explicitly; neither list is empty.
struct KernelLaunch {
  std::string kernel;
  std::vector<KernelArg> args;  // one per parameter of the kernel, in order (bind_arguments)
  SipId sip;
  std::vector<CubeId> cubes;  // ascending
  std::vector<PeId> pes;      // ascending, the same in every cube
  FailurePolicy failure_policy = FailurePolicy::fail_fast;
  std::optional<TimeFs> target_start;  // absolute; without it IO_CPU stamps the launch (H-47, H-49)
  std::string label;                   // shown in reports only
  std::vector<std::string> ranges;     // of the host program, outermost first; shown in reports only

  std::string name() const { return launch_name(kernel, label); }
};

}  // namespace kb::contract
