// What launches that overlap used: wires, decoders and pseudo-channels have for each launch what the per-flit oracle
// has for the transactions of its PEs.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/catalog.h"
#include "modules/catalog.h"
#include "platform/address/phys_addr.h"
#include "platform/contract/command.h"
#include "platform/contract/i_host.h"
#include "platform/contract/i_pe.h"
#include "platform/contract/kernel.h"
#include "platform/contract/kernel_launch.h"
#include "platform/contract/source_line.h"
#include "platform/elab/platform.h"
#include "platform/payload/i_hop_observer.h"
#include "platform/record/activity_recorder.h"
#include "platform/topology/topology.h"
#include "sim/run/driver/recorded_use.h"
#include "sim/run/host/host_port.h"
#include "tests/support/plain_fabric.h"

namespace kb {
namespace {

// Busy time, waits and bytes by block and resource.
using Uses = std::map<std::pair<std::string, std::string>, std::tuple<TimeFs, TimeFs, std::uint64_t>>;

constexpr std::int64_t kRead = 0, kWrite = 1;

// Blocking loads or stores in the HBM slice of PE 0, each PE at addresses of its own.
contract::Kernel transfers() {
  contract::Kernel kernel;
  kernel.name = "transfers";
  kernel.parameters = {{"op", contract::ParameterKind::integer},
                       {"calls", contract::ParameterKind::integer},
                       {"bytes", contract::ParameterKind::integer}};
  kernel.body = [](contract::IPe& pe, const std::vector<contract::KernelArg>& args) {
    const auto number = [&](std::size_t i) { return static_cast<std::uint64_t>(std::get<std::int64_t>(args[i])); };
    const PeCoord self = pe.info().coord;
    const std::uint64_t calls = number(1), bytes = number(2);
    const std::uint64_t base = address::PhysAddr::hbm_addr(self.sip, self.cube, 0).value();
    for (std::uint64_t i = 0; i < calls; ++i) {
      contract::Command command;
      command.kind = number(0) == kRead ? contract::CommandKind::dma_read : contract::CommandKind::dma_write;
      command.memory = {{base + (self.pe.value * calls + i) * bytes, bytes}};
      command.local = {{pe.info().scratch_pa, bytes}};
      command.place = pe.place(contract::SourceLine::here(), "execute", {}, nullptr);
      pe.execute(command);
    }
  };
  return kernel;
}

// Transfers of PEs in the form of the oracle, as they are offered to their first wire.
class IssuedTransfers final : public payload::IHopObserver {
 public:
  bool follows(const payload::Transaction& transaction) override {
    if (transaction.bytes == 0) return false;
    const auto [found, is_new] = index_.try_emplace(transaction.id, requests_.size());
    if (is_new) {
      requests_.push_back({transaction.op == payload::Op::write, 0_fs, transaction.route->nodes, transaction.hbm_offset,
                           transaction.bytes});
    }
    return true;
  }
  void passed(const payload::Hop& hop) override {
    if (hop.leg == payload::Leg::request && hop.index == 0) requests_[index_.at(hop.transaction)].issue = hop.ready;
  }
  const std::vector<test::PlainRequest>& requests() const { return requests_; }

 private:
  std::vector<test::PlainRequest> requests_;
  std::map<std::uint64_t, std::size_t> index_;
};

class LaunchAccount : public testing::Test {
 protected:
  LaunchAccount() : machine_(topology::load(KB_CONFIG_DIR "/one_cube.yaml")), recorder_(4000) {
    kernels_.add(transfers());
  }

  static std::shared_ptr<const contract::KernelLaunch> launch(std::vector<PeId> pes, std::int64_t op,
                                                              std::int64_t calls, std::int64_t bytes);
  void run(std::function<void(contract::IHost&)> program);
  // `launch_of` tells the launch of the n-th transfer of a PE.
  void expect_oracle(const std::function<std::uint64_t(PeId pe, std::size_t n)>& launch_of) const;
  Uses plain_uses(std::uint64_t launch, const std::vector<std::uint64_t>& launches) const;
  Uses uses_of(const sim::LaunchRecord& launch, std::set<PeId>& pes) const;

  topology::LoadedTopology machine_;
  record::ActivityRecorder recorder_;
  kernels::KernelCatalog kernels_;
  IssuedTransfers issued_;
  sim::RunRecord record_;
  test::PlainUses plain_;
};

std::shared_ptr<const contract::KernelLaunch> LaunchAccount::launch(std::vector<PeId> pes, std::int64_t op,
                                                                    std::int64_t calls, std::int64_t bytes) {
  contract::KernelLaunch launch;
  launch.kernel = "transfers";
  launch.args = {op, calls, bytes};
  launch.sip = SipId(0);
  launch.cubes = {CubeId(0)};
  launch.pes = std::move(pes);
  return std::make_shared<const contract::KernelLaunch>(launch);
}

void LaunchAccount::run(std::function<void(contract::IHost&)> program) {
  elab::PlatformOptions options;
  options.recorder = &recorder_;
  options.hops = &issued_;
  options.kernels = &kernels_;
  // Never destroyed, because that takes SystemC long.
  elab::Platform& platform = *new elab::Platform("platform", machine_.graph, modules::builtin_registry(), options);
  sim::HostPort host(platform, {});
  host.run_main(std::move(program));
  sc_core::sc_start();
  ASSERT_EQ(host.open_requests(), 0u);
  platform.conclude();
  recorder_.finish(platform.scheduler().now());
  record_.launches = host.take_launches();
  for (const sim::LaunchRecord& launch : record_.launches) ASSERT_TRUE(launch.ok) << launch.error_message;
  sim::add_recorded_use(recorder_, machine_.graph, record_);
  test::simulate_plain(machine_.graph, issued_.requests(), &plain_);
}

Uses LaunchAccount::plain_uses(std::uint64_t launch, const std::vector<std::uint64_t>& launches) const {
  Uses uses;
  const auto add = [&](NodeId node, const std::string& resource, const std::vector<test::PlainPassage>& passages) {
    for (const test::PlainPassage& flit : passages) {
      if (launches[flit.request] != launch) continue;
      auto& [busy, wait, bytes] = uses[{machine_.graph.node(node).id, resource}];
      busy += flit.end - flit.start;
      wait += flit.start - flit.ready;
      bytes += flit.bytes;
    }
  };
  for (std::size_t e = 0; e < plain_.edges.size(); ++e) {
    const topology::Edge& edge = machine_.graph.edge(EdgeId(static_cast<std::uint32_t>(e)));
    if (edge.bw.limited()) add(edge.src, "to_" + machine_.graph.node(edge.dst).id, plain_.edges[e]);
  }
  for (const auto& [node, headers] : plain_.decoders) add(node, "decode", headers);
  for (const auto& [at, bursts] : plain_.channels) add(at.first, "pc" + std::to_string(at.second), bursts);
  return uses;
}

// Channels of PE_DMA have no oracle; they must be those of the launch's PEs, which are added to `pes`.
Uses LaunchAccount::uses_of(const sim::LaunchRecord& launch, std::set<PeId>& pes) const {
  Uses uses;
  for (const sim::ResourceUse& use : launch.uses) {
    const sim::ResourceName& name = record_.resources[use.resource];
    if (name.resource == "read" || name.resource == "write") {
      pes.insert(machine_.graph.node(machine_.graph.find_node(name.block).value()).pe);
    } else {
      uses[{name.block, name.resource}] = {use.busy, use.wait, use.bytes};
    }
  }
  return uses;
}

void LaunchAccount::expect_oracle(const std::function<std::uint64_t(PeId pe, std::size_t n)>& launch_of) const {
  std::vector<std::uint64_t> launches;
  std::map<PeId, std::size_t> transfers;
  std::map<std::uint64_t, std::set<PeId>> pes;
  for (const test::PlainRequest& request : issued_.requests()) {
    const PeId pe = machine_.graph.node(request.path.front()).pe;
    launches.push_back(launch_of(pe, transfers[pe]++));
    pes[launches.back()].insert(pe);
  }
  for (const sim::LaunchRecord& launch : record_.launches) {
    const Uses expected = plain_uses(launch.id, launches);
    EXPECT_GT(expected.size(), 5u);
    std::set<PeId> used;
    EXPECT_EQ(uses_of(launch, used), expected) << "launch " << launch.id;
    EXPECT_EQ(used, pes[launch.id]) << "launch " << launch.id;
  }
}

// Kernels on disjoint PEs of one cube share a slice and mesh wires on the way to it.
void run_both(contract::IHost& host, const std::vector<std::shared_ptr<const contract::KernelLaunch>>& launches) {
  const std::unique_ptr<contract::ISignal> signal = host.make_signal();
  std::vector<contract::RequestId> ids;
  for (const auto& launch : launches) {
    ids.push_back(host.submit(launch));
    host.on_done(ids.back(), [&] { signal->notify_all(); });
  }
  for (const contract::RequestId id : ids) {
    while (!host.done(id)) signal->wait("a launch");
  }
}

const std::vector<PeId> kFirst = {PeId(0), PeId(1), PeId(2), PeId(3)}, kSecond = {PeId(4), PeId(5), PeId(6), PeId(7)};

TEST_F(LaunchAccount, LaunchesThatOverlapHaveTheirOwnUses) {
  run([](contract::IHost& host) {
    run_both(host, {launch(kFirst, kRead, 12, 4096), launch(kSecond, kRead, 9, 8192)});
  });
  ASSERT_EQ(record_.launches.size(), 2u);
  ASSERT_LT(record_.launches[1].start, record_.launches[0].completed) << "they overlap";
  expect_oracle([&](PeId pe, std::size_t) { return record_.launches[pe.value < 4 ? 0 : 1].id; });
}

TEST_F(LaunchAccount, TheOrderOfLaunchesDoesNotMatter) {
  run([](contract::IHost& host) {
    run_both(host, {launch(kSecond, kRead, 9, 8192), launch(kFirst, kRead, 12, 4096)});
  });
  ASSERT_LT(record_.launches[1].start, record_.launches[0].completed) << "they overlap";
  expect_oracle([&](PeId pe, std::size_t) { return record_.launches[pe.value < 4 ? 1 : 0].id; });
}

TEST_F(LaunchAccount, ReadsAndWritesThatMeetAtASliceHaveTheirOwnWaits) {
  run([](contract::IHost& host) {
    run_both(host, {launch(kFirst, kWrite, 12, 4096), launch(kSecond, kRead, 9, 8192)});
  });
  expect_oracle([&](PeId pe, std::size_t) { return record_.launches[pe.value < 4 ? 0 : 1].id; });
}

// More launches than a SIP has epochs, each overlapping the next one.
TEST_F(LaunchAccount, ThreeHundredLaunchesOfASipAreExact) {
  constexpr std::uint64_t kLaunches = 300, kCalls = 3, kPes = 8;
  run([](contract::IHost& host) {
    const std::unique_ptr<contract::ISignal> signal = host.make_signal();
    std::vector<contract::RequestId> ids;
    for (std::uint32_t i = 0; i < kLaunches; ++i) {
      ids.push_back(host.submit(launch({PeId(i % kPes)}, i % 5 == 0 ? kWrite : kRead, kCalls, 1024)));
      host.on_done(ids.back(), [&] { signal->notify_all(); });
      while (i > 2 && !host.done(ids[i - 3])) signal->wait("a launch");
    }
    for (const contract::RequestId id : ids) {
      while (!host.done(id)) signal->wait("a launch");
    }
  });
  ASSERT_EQ(record_.launches.size(), kLaunches);
  expect_oracle([&](PeId pe, std::size_t n) { return record_.launches[n / kCalls * kPes + pe.value].id; });
}

}  // namespace
}  // namespace kb
