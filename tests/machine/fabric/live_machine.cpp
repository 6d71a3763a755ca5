#include "tests/machine/fabric/live_machine.h"

#include <algorithm>

#include "modules/catalog.h"
#include "modules/fabric/fabric_endpoint.h"
#include "platform/address/phys_addr.h"

namespace kb::test {

namespace {
elab::PlatformOptions observed_by(contract::ISignalObserver* observer, record::ActivityRecorder* recorder,
                                  payload::IHopObserver* hops) {
  elab::PlatformOptions options;
  options.observer = observer;
  options.recorder = recorder;
  options.hops = hops;
  return options;
}
}  // namespace

std::vector<PlainRequest> plain_requests(const std::vector<sim::TrafficResult>& results) {
  std::vector<PlainRequest> requests;
  for (const sim::TrafficResult& r : results) {
    const address::PhysAddr target = address::PhysAddr::decode(r.row.dst);
    requests.push_back(
        {!sim::is_read_op(r.row.op), r.issue, *r.path, target.is_hbm() ? target.hbm_offset() : 0, r.row.bytes});
  }
  return requests;
}

LiveMachine::LiveMachine(const topology::LoadedTopology& topology, contract::ISignalObserver* observer,
                         record::ActivityRecorder* recorder, payload::IHopObserver* hops)
    : platform_(*new elab::Platform("platform", topology.graph, modules::builtin_registry(),
                                    observed_by(observer, recorder, hops))) {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

const payload::FabricRoute& LiveMachine::issue(const sim::TraceRow& row) {
  results_.push_back({row, nullptr, row.issue, 0_fs, 0_fs, ""});
  return start(results_.size() - 1);
}

void LiveMachine::issue_when_due(const sim::TraceRow& row) {
  constexpr TimeFs kAhead = 1_fs;  // before anything that the issuing node does at that time
  results_.push_back({row, nullptr, row.issue, 0_fs, 0_fs, ""});
  platform_.scheduler().schedule(std::max(row.issue - kAhead, 0_fs), *this, results_.size() - 1);
}

void LiveMachine::on_event(TimeFs, std::uint64_t index) {
  start(index);
}

const payload::FabricRoute& LiveMachine::start(std::size_t index) {
  const sim::TraceRow& row = results_[index].row;
  const address::PhysAddr target = address::PhysAddr::decode(row.dst);
  const NodeId memory = platform_.routes().resolver().resolve_memory(target, row.bytes);
  const bool pe = sim::is_pe_op(row.op);
  const NodeId source = pe ? platform_.routes().resolver().find_pe_node(row.src, topology::NodeKind::pe_dma)
                           : platform_.routes().resolver().find_pcie_ep(target.sip());
  const payload::FabricRoute& route =
      pe ? platform_.routes().pe_dma(source, memory) : platform_.routes().host_memory(source, memory);
  payload::Transaction& transaction = platform_.pool().acquire(
      sim::is_read_op(row.op) ? payload::Op::read : payload::Op::write, route, row.dst, row.bytes);
  transaction.hbm_offset = target.is_hbm() ? target.hbm_offset() : 0;
  transaction.initiator = this;
  transaction.cookie = index;
  if (!places_.empty()) transaction.place = places_[index];
  rows_.push_back(index);  // the pool counts ids through
  results_[index].path = &route.nodes;
  // A host request pays PCIE_EP's overhead when it is injected.
  auto& endpoint = platform_.block_as<modules::FabricEndpoint>(source);
  endpoint.issue(transaction, row.issue + (pe ? 0_fs : endpoint.overhead()));
  return route;
}

void LiveMachine::run() {
  sc_core::sc_start();
}

void LiveMachine::on_response(payload::Transaction& transaction) {
  sim::TrafficResult& result = results_[transaction.cookie];
  result.delivered = transaction.delivered;
  result.completed = transaction.completed;
  result.status = transaction.status.ok ? "OK" : transaction.status.code;
  ++answered_;
  platform_.pool().release(transaction);
}

}  // namespace kb::test
