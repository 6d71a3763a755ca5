#pragma once

#include <string>
#include <vector>

#include "modules/command/command_processor.h"
#include "platform/params/m_cpu_params.h"

namespace kb::modules {

// Command processor of a cube (C-MCPU-1).
// Models: fan-out of launches to PE_CPUs, of translation messages to PE_MMUs or PE_DMAs, and as a fall-back of memory
// requests to HBM controllers (M_CPU.DMA); aggregation of the answers into one; failure policies. Messages with another
// destination pass through (C-MCPU-4).
// Does not model: routing, PE work, address decode (done by the resolver, C-MCPU-2).
// Timing: a request that arrives at t is dispatched at t + overhead_ns, to PEs in ascending order, with zero bytes
// each; an answer that arrives at t counts at t + overhead_ns. A launch without a stamp gets the cube's own start
// barrier, t + overhead_ns + max over PEs of [formula(m_cpu -> pe_cpu) - overhead(m_cpu)]; an existing stamp is kept
// (C-MCPU-11).
// Kernel barriers gather the PEs of a launch in this cube. For a SIP barrier, one arrival for the whole cube goes to
// the IO_CPU that sent the launch, or before a queued launch to the M_CPUs of all its cubes, which stamp it: the latest
// time at which a PE came + start_latency. M_CPU.DMA: one channel per
// direction guards only the dispatch (C-MCPU-7), which takes no time, so that it never delays.
class MCpu final : public CommandProcessor {
 public:
  MCpu(const sc_core::sc_module_name& name, NodeId node, const params::MCpuParams& params, elab::BlockContext& context)
      : CommandProcessor(name, node, params.overhead.time(), context, "PEs"), cubes_(node_id(), "cubes", {}) {}

  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;

 private:
  void launch(payload::Transaction& parent, const payload::KernelLaunchMsg& request) override;
  void map(payload::Transaction& parent, const payload::TranslationMsg& request) override;
  void memory(payload::Transaction& parent, TimeFs arrived) override;
  void barrier(payload::Transaction& arrival, const payload::BarrierMsg& message) override;
  std::vector<SubRequest> to_pes(const std::vector<PeId>& pes, const std::vector<NodeId>& targets,
                                 const std::shared_ptr<const payload::Message>& message);

  void cube_there(const payload::BarrierMsg& message);
  void open_start_barrier(const payload::BarrierMsg& message, TimeFs reached);

  BarrierCollector cubes_;
  TimeFs dma_transfer_max_ = 0_fs;  // xfer_ns: largest serialisation time to one DMA destination (C-MCPU-8)
};

}  // namespace kb::modules
