#pragma once

#include <vector>

#include "modules/command/command_processor.h"
#include "platform/params/io_cpu_params.h"

namespace kb::modules {

// Command-plane endpoint of an IO chiplet (C-IO-1).
// Models: fan-out of launches and translation messages to the M_CPUs of the targeted cubes of its SIP (C-IO-3), the
// start barrier of launches (C-IO-7), aggregation of the answers into one (C-IO-9), failure policies (C-IO-10).
// Does not model: kernel decode, fan-out inside a cube. Memory requests bypass it, and are refused.
// Timing: a request that arrives at t is dispatched at t + overhead_ns with one zero-byte sub-request per cube,
// ascending; an answer that arrives at t counts at t + overhead_ns. Start barrier: target_start = t + overhead_ns + max
// over (cube, pe) of [formula(io_cpu -> m_cpu) + formula(m_cpu -> pe_cpu) - overhead(io_cpu) - overhead(m_cpu)]. An
// existing stamp is kept (H-47, H-49). SIP barriers of kernels gather the cubes of a launch.
class IoCpu final : public CommandProcessor {
 public:
  IoCpu(const sc_core::sc_module_name& name, NodeId node, const params::IoCpuParams& params,
        elab::BlockContext& context)
      : CommandProcessor(name, node, params.overhead.time(), context, "cubes") {}

 private:
  void launch(payload::Transaction& parent, const payload::KernelLaunchMsg& request) override;
  void map(payload::Transaction& parent, const payload::TranslationMsg& request) override;
  void barrier(payload::Transaction& arrival, const payload::BarrierMsg& message) override;
  // One sub-request with `message` for each cube.
  std::vector<SubRequest> to_cubes(const std::vector<CubeId>& cubes,
                                   const std::shared_ptr<const payload::Message>& message);
};

}  // namespace kb::modules
