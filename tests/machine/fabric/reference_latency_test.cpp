// Recorded latencies of the reference machine (F-69), and that long transfers cost no more events than short ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "platform/address/phys_addr.h"
#include "platform/routing/latency.h"
#include "platform/routing/path_router.h"
#include "sim/ports/traffic/traffic.h"
#include "tests/machine/fabric/live_machine.h"

namespace kb::test {
namespace {

using sim::TraceOp;

topology::LoadedTopology reference() {
  return topology::load(KB_CONFIG_DIR "/reference.yaml");
}

sim::TraceRow row(const topology::Graph& graph, TraceOp op, std::uint32_t pe, CubeId to_cube, std::uint64_t offset,
                  std::uint64_t bytes, TimeFs issue = 0_fs) {
  sim::TraceRow r;
  r.id = std::to_string(pe);
  r.issue = issue;
  r.op = op;
  r.src = {SipId(0), CubeId(0), PeId(pe)};
  r.dst = address::PhysAddr::pe_hbm_addr(SipId(0), to_cube, PeId(0), offset, graph.spec.hbm_slice_bytes()).value();
  r.bytes = bytes;
  return r;
}

// 16 KiB from each issuer to PE0's slice, all at time 0: when the last one is complete, in ns. No request may be
// faster than the formula of its path.
double last_completed(TraceOp op, const std::vector<std::uint32_t>& issuers) {
  const topology::LoadedTopology topology = reference();
  const topology::Graph& graph = topology.graph;
  std::vector<sim::TraceRow> rows;
  for (std::uint32_t pe : issuers) rows.push_back(row(graph, op, pe, CubeId(0), pe * 16 * kKiB, 16 * kKiB));
  routing::PathRouter router(graph);
  TimeFs last = 0_fs;
  for (const sim::TrafficResult& r : sim::run_traffic(topology, rows)) {
    EXPECT_EQ(r.status, "OK");
    const routing::Route& route = router.find_path(r.path->front(), r.path->back());
    EXPECT_EQ(route.nodes, *r.path);
    EXPECT_LE(routing::path_latency_fs(graph, route, r.row.bytes), r.delivered - r.issue);  // acceptance 2
    EXPECT_LE(r.delivered, r.completed);
    last = std::max(last, r.completed);
  }
  return fs_to_ns(last);
}

constexpr double kOwn = 77.0, kOne = 82.0, kTwo = 158.0, kThree = 230.0;  // F-69

TEST(ReferenceLatency, OwnSliceWrite) {
  EXPECT_NEAR(last_completed(TraceOp::pe_write, {0}), kOwn, 1.0);
}
TEST(ReferenceLatency, OwnSliceRead) {
  EXPECT_NEAR(last_completed(TraceOp::pe_read, {0}), kOwn, 1.0);
}
TEST(ReferenceLatency, OneIssuerWrite) {
  EXPECT_NEAR(last_completed(TraceOp::pe_write, {1}), kOne, 1.0);
}
TEST(ReferenceLatency, OneIssuerRead) {
  EXPECT_NEAR(last_completed(TraceOp::pe_read, {1}), kOne, 1.0);
}
TEST(ReferenceLatency, TwoIssuersWrite) {
  EXPECT_NEAR(last_completed(TraceOp::pe_write, {1, 2}), kTwo, 1.0);
}
TEST(ReferenceLatency, TwoIssuersRead) {
  EXPECT_NEAR(last_completed(TraceOp::pe_read, {1, 2}), kTwo, 0.03 * kTwo);
}
TEST(ReferenceLatency, ThreeIssuersWrite) {
  EXPECT_NEAR(last_completed(TraceOp::pe_write, {1, 2, 3}), kThree, 0.03 * kThree);
}
TEST(ReferenceLatency, ThreeIssuersRead) {
  EXPECT_NEAR(last_completed(TraceOp::pe_read, {1, 2, 3}), kThree, 0.03 * kThree);
}

struct UncontendedWrite {
  double delivered = 0;          // ns
  double store_and_forward = 0;  // if each node took the whole message before it passed it on: its bytes on every wire
  Bandwidth narrowest;
};

UncontendedWrite uncontended_write(const topology::Graph& graph, const sim::TrafficResult& r) {
  EXPECT_EQ(r.status, "OK");
  UncontendedWrite write{fs_to_ns(r.delivered - r.issue), 0, {}};
  routing::PathRouter router(graph);
  const routing::Route& route = router.find_path(r.path->front(), r.path->back());
  write.store_and_forward = fs_to_ns(routing::one_flit_latency_fs(graph, route, 0));
  for (const EdgeId edge : route.edges) {
    const Bandwidth bw = graph.edge(edge).bw;
    if (!bw.limited()) continue;
    write.store_and_forward += static_cast<double>(r.row.bytes) / bw.gbs();
    write.narrowest = std::min(write.narrowest, bw);
  }
  return write;
}

// One after the other on an idle machine.
std::vector<UncontendedWrite> uncontended_writes(TraceOp op, const std::vector<std::uint64_t>& sizes) {
  const topology::LoadedTopology topology = reference();
  std::vector<sim::TraceRow> rows;
  for (const std::uint64_t bytes : sizes) {
    const auto at = rows.size() * 100'000_ns;
    rows.push_back(row(topology.graph, op, 0, CubeId(0), 0, bytes, at));
  }
  std::vector<UncontendedWrite> writes;
  for (const sim::TrafficResult& r : sim::run_traffic(topology, rows)) {
    writes.push_back(uncontended_write(topology.graph, r));
  }
  return writes;
}

TEST(ReferenceLatency, LocalTransfersAreCutThrough) {  // F-70: two wires of 256 GB/s
  const UncontendedWrite write = uncontended_writes(TraceOp::pe_write, {4 * kKiB}).at(0);
  EXPECT_DOUBLE_EQ(write.delivered, 27.000002);
  EXPECT_LT(write.delivered, 0.8 * write.store_and_forward);
}

TEST(ReferenceLatency, HostWritesAreCutThrough) {  // E-74: PCIE_EP, IO chiplet, UCIe and a router
  const UncontendedWrite write = uncontended_writes(TraceOp::host_write, {4 * kKiB}).at(0);
  EXPECT_DOUBLE_EQ(write.delivered, 65.520006);
  EXPECT_LT(write.delivered, 0.7 * write.store_and_forward);
}

TEST(ReferenceLatency, HostWritesPayTheNarrowestWireOnce) {  // E-75
  const double overheads = 33.520006;  // whatever the size: nodes, propagation, the first flit on other wires, a burst
  const std::vector<std::uint64_t> sizes{4 * kKiB, 64 * kKiB, kMiB};
  const std::vector<UncontendedWrite> writes = uncontended_writes(TraceOp::host_write, sizes);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(writes[i].narrowest, Bandwidth(128));
    EXPECT_NEAR(writes[i].delivered, static_cast<double>(sizes[i]) / 128.0 + overheads, 1e-5) << sizes[i];
  }
}

// Events of one transfer on a machine that is otherwise idle.
std::uint64_t events_of(LiveMachine& machine, TraceOp op, std::uint64_t bytes, TimeFs issue) {
  elab::EventScheduler& scheduler = machine.platform().scheduler();
  const std::uint64_t before = scheduler.events();
  const std::size_t answered = machine.answered();
  const CubeId far(15);
  const payload::FabricRoute& route = machine.issue(row(machine.platform().graph(), op, 0, far, 0, bytes, issue));
  EXPECT_GE(route.last_hop(), 12);
  machine.run();
  EXPECT_EQ(machine.answered(), answered + 1);
  return scheduler.events() - before;
}

void expect_cheap_long_transfer(TraceOp op) {
  const topology::LoadedTopology topology = reference();
  LiveMachine machine(topology);
  const std::uint64_t small = events_of(machine, op, 256, 0_fs);
  const std::uint64_t large = events_of(machine, op, kMiB, 1'000'000_ns);
  EXPECT_GT(small, 0u);
  EXPECT_LE(large, 2 * small) << "256 B cost " << small << " events";
}

TEST(EventCost, OneMebibyteWriteTakesAtMostTwiceTheEventsOf256Bytes) {
  expect_cheap_long_transfer(TraceOp::pe_write);
}
TEST(EventCost, OneMebibyteReadTakesAtMostTwiceTheEventsOf256Bytes) {
  expect_cheap_long_transfer(TraceOp::pe_read);
}

// 256 B of its own slice read by PE 0 every 17 ns while `reader` reads 1 MiB of the same slice: the first answer and
// the latest one.
std::pair<TimeFs, TimeFs> beside_a_long_read(const PeCoord& reader) {
  const topology::LoadedTopology topology = reference();
  std::vector<sim::TraceRow> rows{row(topology.graph, TraceOp::pe_read, 0, CubeId(0), kMiB, kMiB)};
  rows.front().src = reader;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const TimeFs issue = 500_ns + static_cast<std::int64_t>(i) * 17_ns;
    rows.push_back(row(topology.graph, TraceOp::pe_read, 0, CubeId(0), i * 256, 256, issue));
  }
  const std::vector<sim::TrafficResult> results = sim::run_traffic(topology, rows);
  TimeFs worst = 0_fs, end = 0_fs;
  for (const sim::TrafficResult& r : results) {
    if (r.row.bytes == 256) worst = std::max({worst, r.completed - r.issue});
    end = std::max(end, r.row.bytes == 256 ? r.completed : 0_fs);
  }
  EXPECT_LT(end, results.front().completed);  // all of them during the long read
  return {results[1].completed - results[1].issue, worst};
}

// Alone such a read takes 14.000004 ns; it waits for a burst or two of the others, not for the whole transfer.
TEST(HeadOfLine, AReadBesideALongOneOfTheSameCube) {
  const auto [first, worst] = beside_a_long_read({SipId(0), CubeId(0), PeId(1)});
  EXPECT_EQ(first, 20'030'004_fs);
  EXPECT_EQ(worst, 27'030'004_fs);
  EXPECT_LE(worst, 60_ns);
}

TEST(HeadOfLine, AReadBesideASlowOneFromAnotherSip) {
  const auto [first, worst] = beside_a_long_read({SipId(1), CubeId(0), PeId(0)});
  EXPECT_EQ(first, 19'040'016_fs);
  EXPECT_EQ(worst, 26'040'016_fs);
  EXPECT_LE(worst, 40_ns);
}

// configs/hbm3.yaml: access_ns 55.25, a burst of 10 ns, and 6.3 ns of way.
TEST(Hbm3, AnIdleReadTakesWhatBanksTake) {
  const topology::LoadedTopology topology = topology::load(KB_CONFIG_DIR "/hbm3.yaml");
  const sim::TraceRow read = row(topology.graph, TraceOp::pe_read, 0, CubeId(0), 0, 256);
  EXPECT_EQ(sim::run_traffic(topology, {read}).front().completed, 71'545'341_fs);
}

}  // namespace
}  // namespace kb::test
