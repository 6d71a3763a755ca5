// Foreign checkers at the pins of RTL blocks: SystemC signals that only the checkers read.
#include <gmock/gmock.h>

#include <array>
#include <random>

#include "modules/kit/fabric_fixture.h"
#include "modules/rtl/rtl_memory.h"
#include "modules/rtl/rtl_router.h"
#include "tests/block/rtl/axi_rams.h"
#include "tests/support/own_process.h"

namespace kb::test {
namespace {

using modules::IAxiMemory;
using modules::RtlMaker;
using payload::Op;
using payload::Transaction;

void expect_none(const std::vector<std::string>& problems) {
  std::string all;
  for (const std::string& problem : problems) all += problem + "\n";
  if (!all.empty()) throw Error::model(all);
}

template <typename T>
const sc_core::sc_signal<T>& signal(const std::string& name) {
  auto* const found = dynamic_cast<sc_core::sc_signal<T>*>(sc_core::sc_find_object(name.c_str()));
  if (found == nullptr) throw Error::model("no signal " + name + " of this type");
  return *found;
}

// Counts what is transferred at rising edges of clk, as a monitor on a bus does.
struct AxiMonitor final : sc_core::sc_module {
  struct Counts {
    std::int64_t edges = 0, addresses = 0, read_beats = 0, last_beats = 0, write_beats = 0, answers = 0, bytes = 0;
    bool valid_fell = false;  // before ready
  };
  Counts counts;

  AxiMonitor(const sc_core::sc_module_name& name, std::string pins) : sc_core::sc_module(name), pins_(std::move(pins)) {
    SC_HAS_PROCESS(AxiMonitor);
    SC_THREAD(watch);
  }

 private:
  bool flag(const char* name) const { return signal<bool>(pins_ + name).read(); }
  void watch() {
    const auto& strobes = signal<std::uint64_t>(pins_ + "wstrb");
    bool waited = false;
    for (;;) {
      wait(signal<bool>(pins_ + "clk").posedge_event());
      ++counts.edges;
      const auto transfer = [&](const std::string& channel) {
        return flag((channel + "valid").c_str()) && flag((channel + "ready").c_str());
      };
      counts.addresses += transfer("ar") + transfer("aw");
      counts.read_beats += transfer("r");
      counts.last_beats += transfer("r") && flag("rlast");
      counts.answers += transfer("b");
      if (transfer("w")) ++counts.write_beats, counts.bytes += __builtin_popcountll(strobes.read());
      counts.valid_fell = counts.valid_fell || (waited && !flag("arvalid"));
      waited = flag("arvalid") && !flag("arready");
    }
  }
  std::string pins_;
};

struct MemoryRun {
  std::array<TimeFs, 800> answers{};
  AxiMonitor::Counts counts{};
  std::int64_t cycles = 0, written = 0;
  TimeFs end = 0_fs;
};

MemoryRun memory_run(const RtlMaker<IAxiMemory>& make, const Values& own, bool watched) {
  return in_own_process([&] {
    FabricFixture fixture;
    const NodeId router = fixture.add_scripted("router");
    const NodeId sram =
        fixture.add_block("sram", modules::rtl_memory_block(topology::NodeKind::sram, "custom.ram", make), {}, own);
    fixture.link(router, sram, 0.0, 0.0);
    std::unique_ptr<AxiMonitor> monitor;
    if (watched) monitor = std::make_unique<AxiMonitor>("monitor", "fixture.sram.pins.");
    fixture.start();
    MemoryRun run;
    std::mt19937 random(11);
    TimeFs at = 10_ns;
    for (int i = 0; i < 200; ++i) {
      at = at + TimeFs(static_cast<std::int64_t>(random() % 30'000'000));
      const std::uint64_t bytes = 1 + random() % 300;
      Transaction& transaction = fixture.transaction(i % 2 == 0 ? Op::write : Op::read, {router, sram}, bytes);
      transaction.address = random() % 1024;
      if (i % 2 == 0) run.written += static_cast<std::int64_t>(bytes);
      fixture.scripted(router).request(transaction, at);
    }
    expect_none(fixture.run());
    std::size_t count = 0;
    for (const TimeFs time : fixture.times(sram, router)) run.answers.at(count++) = time;
    std::vector<elab::Statistic> all;
    fixture.platform().block("sram").collect_statistics(all);
    for (const elab::Statistic& one : all) run.cycles = one.name == "rtl_cycles" ? one.value : run.cycles;
    if (watched) run.counts = monitor->counts;
    return run;
  });
}

TEST(PinSignals, AMonitorSeesEveryTransferOfAForeignMemory) {
  const Values pins{{"pins", true}, {"ids", std::int64_t{4}}};
  const MemoryRun shown = memory_run(axi_ram(8), pins, true);
  EXPECT_EQ(shown.counts.edges, shown.cycles);
  EXPECT_EQ(shown.counts.bytes, shown.written);
  EXPECT_EQ(shown.counts.addresses, shown.counts.last_beats + shown.counts.answers);
  EXPECT_GE(shown.counts.answers, 100);
  EXPECT_GE(shown.counts.read_beats, shown.counts.last_beats);
  EXPECT_FALSE(shown.counts.valid_fell);
  EXPECT_EQ(shown.answers, memory_run(axi_ram(8), {{"ids", std::int64_t{4}}}, false).answers);
}

TEST(PinSignals, TheMemoryOfTheRepositoryHasTheTimesOfAStandingClock) {
  const MemoryRun shown = memory_run(modules::axi_memory_model(), {{"pins", true}}, true);
  const MemoryRun hidden = memory_run(modules::axi_memory_model(), {}, false);
  EXPECT_EQ(shown.answers, hidden.answers);
  EXPECT_EQ(shown.counts.edges, shown.cycles);
  EXPECT_GT(shown.cycles, hidden.cycles);  // the clock runs
}

struct RouterMonitor final : sc_core::sc_module {
  std::int64_t taken = 0, given = 0, lasts = 0;

  explicit RouterMonitor(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    SC_HAS_PROCESS(RouterMonitor);
    SC_THREAD(watch);
  }

 private:
  void watch() {
    const std::string pins = "fixture.r.pins.";
    const auto number = [&](const char* name) { return signal<std::uint32_t>(pins + name).read(); };
    for (;;) {
      wait(signal<bool>(pins + "clk").posedge_event());
      taken += __builtin_popcount(number("in_valid") & number("in_ready"));
      const std::uint32_t out = number("out_valid") & number("out_ready");
      given += __builtin_popcount(out);
      for (int port = 0; port < 8; ++port) {
        const std::uint64_t flit = signal<std::uint64_t>(pins + "out_flit_" + std::to_string(port)).read();
        lasts += (out >> port & 1u) != 0 && flit >> 63 != 0;
      }
    }
  }
};

struct RouterRun {
  std::array<TimeFs, 800> times{};
  std::int64_t taken = 0, given = 0, lasts = 0, flits = 0;
};

RouterRun router_run(const Values& own, bool watched) {
  return in_own_process([&] {
    FabricFixture fixture;
    const NodeId a = fixture.add_scripted("a"), b = fixture.add_scripted("b");
    const NodeId r = fixture.add_block("r", modules::rtl_router_block("rtl.router", modules::router_model()), {}, own);
    fixture.link(a, r, 0.0, 256.0);
    fixture.link(b, r, 0.0, 200.0);
    std::unique_ptr<RouterMonitor> monitor;
    if (watched) monitor = std::make_unique<RouterMonitor>("monitor");
    fixture.start();
    std::mt19937 random(3);
    for (int i = 0; i < 100; ++i) {
      const bool there = random() % 2 == 0;
      const auto at = TimeFs(static_cast<std::int64_t>(random() % 3'000'000) * 1000);
      Transaction& write = fixture.transaction(
          Op::write, there ? std::vector<NodeId>{a, r, b} : std::vector<NodeId>{b, r, a}, 256 * (1 + random() % 5));
      fixture.scripted(there ? a : b).request(write, at);
    }
    expect_none(fixture.run());
    RouterRun run;
    std::size_t count = 0;
    for (const NodeId to : {a, b}) {
      for (const TimeFs time : fixture.times(r, to)) run.times.at(count++) = time;
    }
    run.flits = static_cast<std::int64_t>(count);
    if (watched) run.taken = monitor->taken, run.given = monitor->given, run.lasts = monitor->lasts;
    return run;
  });
}

TEST(PinSignals, AMonitorSeesEveryFlitOfARouter) {
  const RouterRun shown = router_run({{"pins", true}}, true);
  EXPECT_GT(shown.flits, 200);
  EXPECT_EQ(shown.taken, shown.flits);
  EXPECT_EQ(shown.given, shown.flits);
  EXPECT_EQ(shown.lasts, 100);
  EXPECT_EQ(shown.times, router_run({}, false).times);
}

}  // namespace
}  // namespace kb::test
