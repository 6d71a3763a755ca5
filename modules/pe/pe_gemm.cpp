#include "modules/pe/pe_gemm.h"

namespace kb::modules {

PeGemm::PeGemm(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context)
    : AccelEngine(name, node, context), mac_per_ns_(node_record().number("mac_per_ns")) {}

TimeFs PeGemm::work(const contract::Command& command) const {
  return work_time(static_cast<double>(command.m) * static_cast<double>(command.k) * static_cast<double>(command.n),
                   mac_per_ns_);
}

}  // namespace kb::modules
