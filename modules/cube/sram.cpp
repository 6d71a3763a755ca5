#include "modules/cube/sram.h"

#include <algorithm>

namespace kb::modules {
namespace {

resource::Declaration port_declaration() {
  return {"port",
          resource::Role::memory,
          1,
          "A transaction is served.",
          {{"order", resource::CauseClass::order, "the SRAM served another transaction"}},
          resource::Told::ahead};
}

}  // namespace

Sram::Sram(const sc_core::sc_module_name& name, NodeId node, const params::SramParams& params,
           elab::BlockContext& context)
    : FabricEndpoint(name, node, params.overhead.time(), context), port_(declare(port_declaration())) {}

void Sram::on_arrival(const FlitStream& message) {
  payload::Transaction& transaction = *message.transaction;
  const TimeFs begin = std::max(message.time, free_at_);
  free_at_ = time_sum(begin, overhead());
  port_.use(0, begin, free_at_, message.place, transaction.bytes, {{0, begin - message.time}});
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
