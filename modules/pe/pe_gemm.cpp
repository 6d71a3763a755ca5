#include "modules/pe/pe_gemm.h"

namespace kb::modules {

PeGemm::PeGemm(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context)
    : AccelEngine(name, node, context), mac_per_ns_(node_record().number("mac_per_ns")) {}

TimeFs PeGemm::work(const CommandTask& task) const {
  return work_time(static_cast<double>(task.stage.macs), mac_per_ns_);
}

}  // namespace kb::modules
