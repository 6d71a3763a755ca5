#include "tests/machine/fabric/live_machine.h"

#include "modules/catalog.h"
#include "modules/fabric/fabric_endpoint.h"
#include "platform/address/phys_addr.h"

namespace kb::test {

LiveMachine::LiveMachine(const topology::LoadedTopology& topology)
    : platform_(*new elab::Platform("platform", topology.graph, modules::builtin_registry())) {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

const payload::FabricRoute& LiveMachine::issue(const sim::TraceRow& row) {
  const address::PhysAddr target = address::PhysAddr::decode(row.dst);
  const NodeId memory = platform_.routes().resolver().resolve(target);
  const bool pe = sim::is_pe_op(row.op);
  const NodeId source = pe ? platform_.routes().resolver().find_pe_node(row.src, topology::NodeKind::pe_dma)
                           : platform_.routes().resolver().find_pcie_ep(target.sip());
  const payload::FabricRoute& route =
      pe ? platform_.routes().pe_dma(source, memory) : platform_.routes().host_memory(source, memory);
  payload::Transaction& transaction = platform_.pool().acquire(
      sim::is_read_op(row.op) ? payload::Op::read : payload::Op::write, route, row.dst, row.bytes);
  transaction.hbm_offset = target.is_hbm() ? target.hbm_offset() : 0;
  transaction.initiator = this;
  platform_.block_as<modules::FabricEndpoint>(source).issue(transaction, row.issue);
  return route;
}

void LiveMachine::run() {
  sc_core::sc_start();
}

void LiveMachine::on_response(payload::Transaction& transaction) {
  ++answered_;
  platform_.pool().release(transaction);
}

}  // namespace kb::test
