// Contents of the control messages that travel as zero-byte transactions beyond PCIE_EP (C 0.1). They are
// device-internal: the host sees only contract/i_host.h.
#pragma once

#include <memory>
#include <vector>

#include "platform/address/region_list.h"
#include "platform/base/ids.h"
#include "platform/contract/requests.h"
#include "platform/payload/transaction.h"

namespace kb::payload {

// Kernel launch: host -> IO_CPU -> M_CPU -> PE_CPU. Stages pass the same launch record on; only the stamp is added.
struct KernelLaunchMsg final : Message {
  std::shared_ptr<const contract::KernelLaunch> launch;
  std::uint64_t request = 0;     // host request id: correlation of every stage
  TimeFs target_start = kNever;  // absolute start barrier (C-IO-7); kNever = not stamped
};

// Map or unmap entries for the PE_MMUs (section 5.7 of the addressing chapter).
struct MmuMapMsg final : Message {
  std::uint64_t request = 0;
  bool unmap = false;
  std::shared_ptr<const address::RegionList> entries;  // shared by all receivers; `pa` has no meaning in an unmap
  std::vector<CubeId> cubes;  // empty = every cube of the SIP
  std::vector<PeId> pes;      // empty = every PE of a cube
};

// Aggregated answer of PE_CPU, M_CPU or IO_CPU. Metrics merge by maximum, in any order (C-MCPU-12).
struct LaunchReply final : Message {
  std::vector<contract::PeResult> pes;  // one per PE that ran, in (sip, cube, pe) order after aggregation
};

}  // namespace kb::payload
