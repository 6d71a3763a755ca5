#include "modules/pe/pe_gemm.h"

namespace kb::modules {

PeGemm::PeGemm(const sc_core::sc_module_name& name, NodeId node, const params::PeGemmParams& params, PeContext& pe,
               elab::BlockContext& context)
    : AccelEngine(name, node, params.overhead.time(), params.queue_depth, params.shared_resource, pe, context),
      mac_per_ns_(params.macs_per_ns),
      granularity_(params.granularity) {}

TimeFs PeGemm::work(CommandTask& task) {
  plan::Stage& stage = task.stage;
  stage.macs = granularity_.padded_macs(stage.m, stage.k, stage.n);
  accumulate(macs_, stage.macs);
  accumulate(useful_macs_, stage.useful_macs());
  const auto& inputs = task.command->inputs;
  const MacRate rate = product_rate(mac_per_ns_, inputs.at(0).dtype, inputs.at(1).dtype);
  return rate.time(static_cast<double>(stage.macs));
}

void PeGemm::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  AccelEngine::collect_statistics(statistics);
  if (macs_ == 0) return;
  statistics.push_back({"macs", macs_, "1"});
  statistics.push_back({"useful_macs", useful_macs_, "1"});
}

}  // namespace kb::modules
