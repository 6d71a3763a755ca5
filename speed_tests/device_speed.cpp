// Speed of co-simulation: device_speed inside|embedded|recorded|clock|free TOPOLOGY [BYTES] [DATA]. The random traffic
// of fabric_speed, issued by the platform itself as `kernbench traffic` does, or by AT initiators through target
// sockets of a kb::Device: with nothing else in the simulation, with a run folder, beside a 1 GHz clock, or running
// freely ahead. `trace` prints it for `kernbench traffic`. `chain` and `lt` issue one transaction after the other at
// each source, in the platform and by calls of b_transport. `outbound` reads 4 MiB from a memory outside of the
// machine, whose attributes may be given (`end_resp: early`). Start-up is not included.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "examples/embedding/at_memory.h"
#include "modules/catalog.h"
#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "platform/elab/i_request_source.h"
#include "platform/elab/platform.h"
#include "platform/topology/topology.h"
#include "sim/ports/device/device.h"
#include "sim/ports/traffic/traffic.h"

namespace kb {
namespace {

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void figure(const char* name, double value) {
  std::printf("%s\t%.6g\n", name, value);
}

struct Row {
  sim::TraceRow row;
  std::string source;
};

std::vector<Row> random_rows(const topology::Graph& graph, std::uint64_t bytes) {
  const topology::MachineSpec& spec = graph.spec;
  std::mt19937 random(1);
  std::vector<Row> rows;
  const auto count = static_cast<unsigned>(spec.pe_count());
  for (int round = 0; round < std::max(4, 4096 / spec.pe_count()); ++round) {
    for (unsigned pe = 0; pe < count; ++pe) {
      const auto coord = [&](unsigned index) {
        const auto pes = static_cast<unsigned>(spec.pes_per_cube()),
                   cubes = static_cast<unsigned>(spec.cubes_per_sip());
        return PeCoord{SipId(index / (pes * cubes)), CubeId(index / pes % cubes), PeId(index % pes)};
      };
      const PeCoord from = coord(pe);
      PeCoord to = coord(random() % count);
      if (random() % 2 == 0) to.sip = from.sip, to.cube = from.cube;
      Row one;
      one.row.issue = random() % 100'000 * 1000_fs;
      one.row.op = random() % 2 == 0 ? sim::TraceOp::pe_read : sim::TraceOp::pe_write;
      one.row.src = from;
      one.row.dst =
          address::PhysAddr::pe_hbm_addr(to.sip, to.cube, to.pe, 256 * (random() % 65536), spec.hbm_slice_bytes())
              .value();
      one.row.bytes = bytes;
      one.row.id = std::to_string(rows.size());
      one.source = "sip" + std::to_string(from.sip.value) + ".cube" + std::to_string(from.cube.value) + ".pe" +
                   std::to_string(from.pe.value) + ".pe_dma";
      rows.push_back(std::move(one));
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.row.issue < b.row.issue; });
  return rows;
}

class Initiator final : public sc_core::sc_module, public tlm::tlm_bw_transport_if<>, public tlm::tlm_mm_interface {
 public:
  explicit Initiator(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    SC_HAS_PROCESS(Initiator);
    SC_METHOD(send);
    sensitive << next_;
    socket.bind(*this);
  }
  tlm::tlm_initiator_socket<32> socket{"socket"};
  std::vector<const sim::TraceRow*> rows;
  static std::uint64_t answered;

 private:
  void send() {
    if (accepting_ || at_ == rows.size()) return;
    const sim::TraceRow& row = *rows[at_];
    const auto issue = sc_core::sc_time::from_value(static_cast<std::uint64_t>(row.issue.fs()));
    if (issue > sc_core::sc_time_stamp()) {
      next_.notify(issue - sc_core::sc_time_stamp());
      return;
    }
    ++at_;
    tlm::tlm_generic_payload& payload = payloads_.emplace_back(this);
    payload.acquire();
    payload.set_command(sim::is_read_op(row.op) ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
    payload.set_address(row.dst);
    payload.set_data_ptr(data_);
    payload.set_data_length(static_cast<unsigned>(row.bytes));
    payload.set_streaming_width(static_cast<unsigned>(row.bytes));
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    accepting_ = true;
    socket->nb_transport_fw(payload, phase, delay);
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time&) override {
    if (phase == tlm::END_REQ) {
      accepting_ = false;
      next_.notify(sc_core::SC_ZERO_TIME);
      return tlm::TLM_ACCEPTED;
    }
    ++answered;
    payload.release();
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  void free(tlm::tlm_generic_payload*) override {}

  sc_core::sc_event next_;
  std::size_t at_ = 0;
  bool accepting_ = false;
  std::deque<tlm::tlm_generic_payload> payloads_;
  static unsigned char data_[65536];
};
std::uint64_t Initiator::answered = 0;
unsigned char Initiator::data_[65536];

class LtInitiator final : public sc_core::sc_module, public tlm::tlm_bw_transport_if<> {
 public:
  explicit LtInitiator(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    SC_HAS_PROCESS(LtInitiator);
    SC_THREAD(send);
    socket.bind(*this);
  }
  tlm::tlm_initiator_socket<32> socket{"socket"};
  std::vector<const sim::TraceRow*> rows;

 private:
  void send() {
    tlm::tlm_generic_payload payload;
    for (const sim::TraceRow* row : rows) {
      payload.set_command(sim::is_read_op(row->op) ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
      payload.set_address(row->dst);
      payload.set_data_ptr(data_);
      payload.set_data_length(static_cast<unsigned>(row->bytes));
      payload.set_streaming_width(static_cast<unsigned>(row->bytes));
      payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
      sc_core::sc_time delay;
      socket->b_transport(payload, delay);
      if (delay != sc_core::SC_ZERO_TIME) wait(delay);
      ++Initiator::answered;
    }
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  unsigned char data_[65536] = {};
};

class Clocked final : public sc_core::sc_module {
 public:
  explicit Clocked(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    SC_HAS_PROCESS(Clocked);
    SC_METHOD(tick);
    sensitive << clock_.posedge_event();
  }

 private:
  void tick() { ++ticks_; }
  sc_core::sc_clock clock_{"clock", sc_core::sc_time(1, sc_core::SC_NS)};
  std::uint64_t ticks_ = 0;
};

using RowsBySource = std::map<std::string, std::vector<const sim::TraceRow*>>;

RowsBySource by_source(const std::vector<Row>& rows) {
  RowsBySource sorted;
  for (const Row& row : rows) sorted[row.source].push_back(&row.row);
  return sorted;
}

// An initiator for each source, bound to the ports "port0", "port1" ... of the device.
template <typename T>
std::vector<std::unique_ptr<T>> initiators_of(const RowsBySource& rows, Device& device) {
  std::vector<std::unique_ptr<T>> initiators;
  for (const auto& entry : rows) {
    const std::string number = std::to_string(initiators.size());
    initiators.push_back(std::make_unique<T>(("initiator" + number).c_str()));
    initiators.back()->rows = entry.second;
    initiators.back()->socket.bind(device.target("port" + number));
  }
  return initiators;
}

// What the figures count is a function, for profilers.
[[gnu::noinline]] void play_outside(std::size_t rows) {
  while (Initiator::answered < rows) sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_US));
}

void embedded(const std::string& scenario, const std::string& file, const std::vector<Row>& rows,
              const std::string& data) {
  DeviceConfig config;
  config.topology = file;
  config.data = data;

  config.free_running = scenario == "free";
  if (scenario == "recorded") config.result = (std::filesystem::temp_directory_path() / "device_speed").string();
  config.targets.clear();
  const RowsBySource sorted = by_source(rows);
  for (const auto& entry : sorted) {
    DeviceTarget target;
    target.name = "port" + std::to_string(config.targets.size());
    target.attach = entry.first;
    config.targets.push_back(target);
  }
  Device device("device", config);
  std::vector<std::unique_ptr<Initiator>> initiators;
  std::vector<std::unique_ptr<LtInitiator>> lt_initiators;
  if (scenario == "lt") {
    lt_initiators = initiators_of<LtInitiator>(sorted, device);
  } else {
    initiators = initiators_of<Initiator>(sorted, device);
  }
  std::unique_ptr<Clocked> clock;
  if (scenario == "clock") clock = std::make_unique<Clocked>("clocked");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const double start = cpu_seconds();
  const std::uint64_t deltas = sc_core::sc_delta_count();
  play_outside(rows.size());
  const double used = cpu_seconds() - start;
  const DeviceReport report = device.finish();
  figure("cpu_us", used * 1e6);
  figure("transactions", static_cast<double>(rows.size()));
  figure("cpu_us_per_transaction", used * 1e6 / static_cast<double>(rows.size()));
  figure("events", static_cast<double>(report.events));
  figure("events_per_transaction", static_cast<double>(report.events) / static_cast<double>(rows.size()));
  figure("deltas", static_cast<double>(sc_core::sc_delta_count() - deltas));
  figure("problems", static_cast<double>(report.problems.size()));
}

void outbound(const std::string& file, const std::string& attrs) {
  std::ifstream in(file);
  DeviceConfig config;
  config.topology_text = std::string(std::istreambuf_iterator<char>(in), {}) +
                         "\nreplace:\n  - {nodes: sip0.cube0.hbm_ctrl.pe0, impl: tlm.memory, attrs: {socket: dram" +
                         attrs + "}}\n";
  config.data = "off";
  Device device("device", config);
  AtMemory memory("dram", sc_core::SC_ZERO_TIME, sc_core::sc_time(40, sc_core::SC_NS));
  device.memory("dram").bind(memory.socket);
  Initiator initiator("initiator");
  sim::TraceRow row;
  row.dst = address::PhysAddr::pe_hbm_addr(SipId(0), CubeId(0), PeId(0), 0, 1).value();
  row.bytes = 65536;
  initiator.rows.assign(64, &row);
  initiator.socket.bind(device.target("cpu0"));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const double start = cpu_seconds();
  const std::uint64_t deltas = sc_core::sc_delta_count();
  sc_core::sc_start();
  const double used = cpu_seconds() - start;
  const auto accesses = static_cast<double>(memory.requests());
  figure("accesses", accesses);
  figure("cpu_us_per_access", used * 1e6 / accesses);
  figure("deltas_per_access", static_cast<double>(sc_core::sc_delta_count() - deltas) / accesses);
}

class Inside final : public payload::IInitiator {
 public:
  explicit Inside(elab::Platform& platform) : platform_(platform) {}
  void issue(const sim::TraceRow& row, TimeFs at) {
    const routing::AddressResolver& resolver = platform_.routes().resolver();
    const auto target = address::PhysAddr::decode(row.dst);
    const NodeId source = resolver.find_pe_node(row.src, topology::NodeKind::pe_dma);
    payload::Transaction& t =
        platform_.pool().acquire(sim::is_read_op(row.op) ? payload::Op::read : payload::Op::write,
                                 platform_.routes().pe_dma(source, resolver.resolve(target)), row.dst, row.bytes);
    t.hbm_offset = target.hbm_offset();
    t.initiator = this;
    platform_.block_as<elab::IRequestSource>(source).inject(t, at);
  }
  void on_response(payload::Transaction& t) override {
    platform_.pool().release(t);
    if (!rest_.empty()) issue_next(platform_.scheduler().now());
  }
  // Each when the one before has been answered.
  void chain(std::vector<const sim::TraceRow*> rows) {
    std::reverse(rows.begin(), rows.end());
    rest_ = std::move(rows);
    issue_next(0_fs);
  }

 private:
  void issue_next(TimeFs now) {
    const sim::TraceRow& row = *rest_.back();
    rest_.pop_back();
    issue(row, now);
  }

  elab::Platform& platform_;
  std::vector<const sim::TraceRow*> rest_;
};

// What the figure counts, as play_outside() for the others.
[[gnu::noinline]] void play_inside(bool chained, const std::vector<Row>& rows, elab::Platform& platform) {
  std::deque<Inside> sources;
  if (chained) {
    for (const auto& entry : by_source(rows)) sources.emplace_back(platform).chain(entry.second);
  } else {
    sources.emplace_back(platform);
    for (const Row& row : rows) sources.front().issue(row.row, row.row.issue);
  }
  sc_core::sc_start();
}

// The trace of the same traffic, for `kernbench traffic`.
void print_trace(const std::vector<Row>& rows) {
  std::printf("id,issue_ns,op,src,dst,bytes\n");
  for (const Row& row : rows) {
    std::printf("%s,%s,%s,%s,0x%llx,%llu\n", row.row.id.c_str(), format_ns(row.row.issue).c_str(),
                sim::is_read_op(row.row.op) ? "pe_read" : "pe_write",
                row.source.substr(0, row.source.rfind('.')).c_str(), static_cast<unsigned long long>(row.row.dst),
                static_cast<unsigned long long>(row.row.bytes));
  }
}

void inside(const std::string& scenario, const topology::LoadedTopology& topology, const std::vector<Row>& rows) {
  elab::Platform platform("platform", topology.graph, modules::builtin_registry());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const double start = cpu_seconds();
  play_inside(scenario == "chain", rows, platform);
  const double used = cpu_seconds() - start;
  figure("cpu_us", used * 1e6);
  figure("transactions", static_cast<double>(rows.size()));
  figure("cpu_us_per_transaction", used * 1e6 / static_cast<double>(rows.size()));
  figure("events_per_transaction",
         static_cast<double>(platform.scheduler().events()) / static_cast<double>(rows.size()));
}

int run(int argc, char** argv) {
  const std::string scenario = argc > 1 ? argv[1] : "";
  if (argc < 3) {
    std::fprintf(stderr,
                 "usage: device_speed trace|inside|chain|embedded|lt|recorded|clock|free TOPOLOGY [BYTES] [DATA]\n"
                 "       device_speed outbound TOPOLOGY [ATTRIBUTES of the memory]\n");
    return 2;
  }
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  if (scenario == "outbound") {
    outbound(argv[2], argc > 3 ? std::string(", ") + argv[3] : "");
    return 0;
  }
  const topology::LoadedTopology topology = topology::load(argv[2]);
  const std::vector<Row> rows = random_rows(topology.graph, argc > 3 ? std::stoull(argv[3]) : 16384);
  if (scenario == "trace") {
    print_trace(rows);
  } else if (scenario == "inside" || scenario == "chain") {
    inside(scenario, topology, rows);
  } else {
    embedded(scenario, argv[2], rows, argc > 4 ? argv[4] : "off");
  }
  return 0;
}

}  // namespace
}  // namespace kb

int sc_main(int argc, char** argv) {
  try {
    return kb::run(argc, argv);
  } catch (const kb::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kb::exit_code(error.family());
  }
}
