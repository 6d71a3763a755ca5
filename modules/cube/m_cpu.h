#pragma once

#include <map>
#include <string>
#include <vector>

#include "modules/command/barrier_gate.h"
#include "modules/command/command_processor.h"
#include "platform/params/m_cpu_params.h"

namespace kb::modules {

// Command processor of a cube (C-MCPU-1).
// Models: fan-out of launches to PE_CPUs, of translation messages to PE_MMUs or PE_DMAs and, as a fall-back, of memory
// requests to the HBM controllers (M_CPU.DMA); aggregation of the answers into one; failure policies. Messages that do
// not end here pass through (C-MCPU-4). Does not model: routing, PE work, address decode (the resolver's, C-MCPU-2).
// Timing: a request that arrives at t is dispatched at t + overhead_ns, PEs ascending, zero bytes each; an answer that
// arrives at t counts at t + overhead_ns. A launch without a stamp gets the cube's own barrier, t + overhead_ns + max
// over PEs of [formula(m_cpu -> pe_cpu) - overhead(m_cpu)]; a stamp that is present passes through (C-MCPU-11).
// Barriers of kernels: the arrivals of a launch are held until the last of its PEs in this cube has come, and answered
// then, in the order of their arrival. For a barrier of the SIP, one arrival of the whole cube goes to the IO_CPU that
// the launch came from first, and its answer is theirs. When a kernel of the launch ends before, they are answered with
// BARRIER_ERROR.
// M_CPU.DMA: one channel per direction guards the dispatch only (C-MCPU-7), which takes no time, so it never delays.
class MCpu final : public CommandProcessor {
 public:
  MCpu(const sc_core::sc_module_name& name, NodeId node, const params::MCpuParams& params, elab::BlockContext& context)
      : CommandProcessor(name, node, params.overhead.time(), context),
        barriers_(node_id(), "PEs", [this](payload::Transaction& arrival) { respond(arrival, now()); }) {}

  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;

 private:
  void launch(payload::Transaction& parent, const payload::KernelLaunchMsg& request) override;
  void map(payload::Transaction& parent, const payload::TranslationMsg& request) override;
  void memory(payload::Transaction& parent, TimeFs arrived) override;
  void barrier(payload::Transaction& arrival, const payload::BarrierMsg& message) override;
  void barrier_answered(payload::Transaction& transaction) override;
  void launch_answered(std::uint64_t request, const Branch& branch, bool all) override;
  std::vector<SubRequest> to_pes(const std::vector<PeId>& pes, const std::vector<NodeId>& targets,
                                 const std::shared_ptr<const payload::Message>& message);

  BarrierGate barriers_;
  std::map<std::uint64_t, NodeId> senders_;  // of the launches under way
  TimeFs dma_transfer_max_ = 0_fs;           // xfer_ns: largest serialisation time of one DMA destination (C-MCPU-8)
};

}  // namespace kb::modules
