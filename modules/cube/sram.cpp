#include "modules/cube/sram.h"

#include <algorithm>

namespace kb::modules {

Sram::Sram(const sc_core::sc_module_name& name, NodeId node, const params::SramParams& params,
           elab::BlockContext& context)
    : FabricEndpoint(name, node, params.overhead.time(), context) {}

void Sram::on_arrival(const FlitStream& message) {
  payload::Transaction& transaction = *message.transaction;
  free_at_ = time_sum(std::max(message.time, free_at_), overhead());
  if (transaction.op == payload::Op::message) {
    transaction.status = {false, "UNSUPPORTED_REQUEST", node_id() + " serves reads and writes only"};
  } else if (transaction.op == payload::Op::write) {
    transaction.delivered = free_at_;
    ++writes_;
  } else {
    ++reads_;
  }
  respond(transaction, free_at_);
}

void Sram::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  FabricEndpoint::collect_statistics(statistics);
  if (reads_ + writes_ == 0) return;
  statistics.push_back({"reads", static_cast<std::int64_t>(reads_), "1"});
  statistics.push_back({"writes", static_cast<std::int64_t>(writes_), "1"});
}

}  // namespace kb::modules
