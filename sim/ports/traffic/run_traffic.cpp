#include <optional>
#include <utility>

#include "modules/catalog.h"
#include "modules/fabric/foreign_links.h"
#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "platform/elab/i_request_source.h"
#include "platform/elab/platform.h"
#include "platform/observe/event_log.h"
#include "sim/ports/traffic/traffic.h"
#include "sim/run/driver/host_time_limit.h"
#include "sim/run/driver/interrupt.h"
#include "sim/run/driver/progress.h"
#include "sim/run/driver/systemc_setup.h"
#include "sim/run/driver/wait_table.h"
#include "sim/run/driver/wave_recording.h"

namespace kb::sim {
namespace {

// Issues the rows of all results and fills in the measured times.
class TrafficSource final : public payload::IInitiator {
 public:
  TrafficSource(elab::Platform& platform, std::vector<TrafficResult>& results)
      : platform_(platform), results_(results) {}

  void issue_all() {
    for (std::size_t i = 0; i < results_.size(); ++i) issue(i);
  }
  std::size_t answered() const { return answered_; }

  void on_response(payload::Transaction& transaction) override {
    TrafficResult& result = results_[transaction.cookie];
    result.delivered = transaction.delivered;
    result.completed = transaction.completed;
    result.status = transaction.status.ok ? "OK" : transaction.status.code;
    ++answered_;
    platform_.pool().release(transaction);
  }

  std::string origin(const payload::Transaction& transaction) const override {
    const TraceRow& row = results_[transaction.cookie].row;
    return " (row '" + row.id + "'" + (row.line > 0 ? ", line " + std::to_string(row.line) : "") + ")";
  }

 private:
  void issue(std::size_t index) {
    TrafficResult& result = results_[index];
    const TraceRow& row = result.row;
    const address::PhysAddr target = address::PhysAddr::decode(row.dst);
    const routing::AddressResolver& resolver = platform_.routes().resolver();
    const NodeId memory = resolver.resolve_memory(target, row.bytes);
    const NodeId source = is_pe_op(row.op) ? resolver.find_pe_node(row.src, topology::NodeKind::pe_dma)
                                           : resolver.find_pcie_ep(target.sip());
    const payload::FabricRoute& route =
        is_pe_op(row.op) ? platform_.routes().pe_dma(source, memory) : platform_.routes().host_memory(source, memory);
    auto& endpoint = platform_.block_as<elab::IRequestSource>(source);
    const payload::Op op = is_read_op(row.op) ? payload::Op::read : payload::Op::write;
    payload::Transaction& transaction = platform_.pool().acquire(op, route, row.dst, row.bytes);
    transaction.hbm_offset = target.is_hbm() ? target.hbm_offset() : 0;
    transaction.cookie = index;
    transaction.initiator = this;
    // A host request pays PCIE_EP's overhead when it is injected; a PE row enters at PE_DMA's fabric side.
    endpoint.inject(transaction, row.issue + (is_pe_op(row.op) ? 0_fs : endpoint.overhead()));
    result.path = &route.nodes;
    result.issue = row.issue;
  }

  elab::Platform& platform_;
  std::vector<TrafficResult>& results_;
  std::size_t answered_ = 0;
};

}  // namespace

std::vector<TrafficResult> run_traffic(const topology::LoadedTopology& topology, std::vector<TraceRow> rows,
                                       const TrafficOptions& options) {
  HostTimeLimit* const host_limit = options.host_limit;
  elab::PlatformOptions platform_options;
  platform_options.log = options.log;
  platform_options.hops = options.hops;
  platform_options.dram = options.dram;
  std::optional<WaveRecording> waves;
  if (options.waves != nullptr) waves.emplace(*options.waves);
  platform_options.observer = waves ? &waves->recorder() : nullptr;
  SystemcRun systemc(options.log);
  ProgressLine progress(options.progress);
  progress.stage("building the machine");
  // Never destroyed: SystemC searches a list for every port of a destroyed module, which takes longer than the
  // simulation for a large machine, and the process ends soon.
  elab::Platform& platform =
      *new elab::Platform("platform", topology.graph, modules::registry_with(options.blocks), platform_options);
  std::vector<TrafficResult> results(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) results[i].row = std::move(rows[i]);
  std::vector<TraceRow>().swap(rows);
  TrafficSource source(platform, results);
  progress.stage(nullptr);
  systemc.start();  // binds the sockets
  if (waves) waves->check_filters();
  source.issue_all();
  if (host_limit != nullptr) host_limit->watch(platform.scheduler());
  const auto poll = [&] {
    const elab::EventScheduler& scheduler = platform.scheduler();
    if (waves && waves->poll(scheduler.now())) return true;
    if (scheduler.events() % elab::EventScheduler::kPolled != 0 || !progress.due()) return false;
    progress.update({scheduler.now(), scheduler.events(), source.answered(), results.size(), "transactions"});
    return false;
  };
  platform.scheduler().set_poll(poll, waves ? WaveRecording::kPolled : elab::EventScheduler::kPolled);
  if (waves) set_keeper(&*waves);
  systemc.run();
  if (interrupted()) end_interrupted();
  set_keeper(nullptr);
  if (options.hops != nullptr || options.dram != nullptr || waves) platform.conclude();
  if (waves) {
    const TimeFs end = platform.scheduler().now();
    waves->finish(end, *options.warnings);
    waves->write_save_file({}, end, topology.graph);
  }
  if (!platform.scheduler().passed_end().empty()) {
    throw Error::program("TIME_RANGE", platform.scheduler().passed_end());
  }
  if (source.answered() != results.size()) {
    const bool cut = host_limit != nullptr && platform.scheduler().end_requested();
    if (cut) host_limit->acknowledge();
    if (!cut) modules::throw_if_a_block_stalls(platform.context());
    throw Error(
        ErrorFamily::no_progress, cut ? "HOST_TIME_LIMIT" : "NO_PROGRESS",
        (cut ? host_limit->headline() + " at " + format_ns(platform.scheduler().now()) + " ns of simulated time: "
             : "") +
            std::to_string(results.size() - source.answered()) + " of " + std::to_string(results.size()) +
            " transactions were " + (cut ? "not" : "never") + " answered\n" +
            render_waits(platform.waits(), platform.scheduler().now()));
  }
  return results;
}

}  // namespace kb::sim
