// The launch start barrier (C-IO-7, H-43): the time from stamping until the last targeted PE is ready to start.
#pragma once

#include <vector>

#include "platform/base/ids.h"
#include "platform/base/units.h"
#include "platform/elab/block.h"

namespace kb::contract {
struct KernelLaunch;
}

namespace kb::modules {

// max over (cube, pe) of formula(io_cpu -> m_cpu) + formula(m_cpu -> pe_cpu) - overhead(io_cpu) - overhead(m_cpu). A
// formula latency contains the overheads of both ends: IO_CPU's overhead is paid before stamping, and M_CPU's is paid
// once but counted in both legs (H-44). A single path io_cpu -> pe_cpu could bypass M_CPU and would be too short
// (H-45). Throws Error "no path ..." or when a node does not exist.
TimeFs launch_latency(elab::BlockContext& context, NodeId io_cpu, SipId sip, const std::vector<CubeId>& cubes,
                      const std::vector<PeId>& pes);

// The latency within one cube, from its M_CPU: max over PEs of formula(m_cpu -> pe_cpu) - overhead(m_cpu). It is used
// for a launch that reaches M_CPU without a stamp (C-MCPU-11).
TimeFs cube_launch_latency(elab::BlockContext& context, NodeId m_cpu, SipId sip, CubeId cube,
                           const std::vector<PeId>& pes);

// From the time at which the last PE of the cubes comes to the barrier before a queued launch until the last of them
// has its start stamp (P-51a). It is the sum of max over PEs of formula(pe_cpu -> m_cpu), max over pairs of cubes of
// formula(m_cpu -> m_cpu), and max over PEs of formula(m_cpu -> pe_cpu), less the overheads of M_CPU that two of them
// contain. All PEs of the cubes count, so that every launch on the same cubes has the same.
TimeFs start_latency(elab::BlockContext& context, SipId sip, const std::vector<CubeId>& cubes);

// Absolute start time of launches on several SIPs that the host submits at `now`: the maximum over the launches of
// formula(pcie_ep -> io_cpu) + launch_latency (H-49). The first term contains PCIE_EP's injection overhead and IO_CPU's
// overhead.
TimeFs common_launch_start(elab::BlockContext& context, const std::vector<contract::KernelLaunch>& launches,
                           TimeFs now);

}  // namespace kb::modules
