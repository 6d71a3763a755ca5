// An SRAM whose RTL is an AXI4 memory, beside a scripted router; and memories that break the rules of AXI.
#include "modules/rtl/rtl_memory.h"

#include <gmock/gmock.h>

#include <array>
#include <functional>
#include <map>
#include <random>

#include "modules/kit/fabric_fixture.h"
#include "tests/support/own_process.h"

namespace kb::test {
namespace {

using modules::AxiManagerPins;
using modules::AxiMemoryPins;
using modules::IAxiMemory;
using modules::RtlFill;
using modules::RtlMaker;
using payload::Op;
using payload::Transaction;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr TimeFs kHop = 1_fs;

struct AxiSram {
  explicit AxiSram(const Values& own = {}, const RtlMaker<IAxiMemory>& make = modules::axi_memory_model()) {
    router = fixture.add_scripted("router");
    sram =
        fixture.add_block("sram", modules::rtl_memory_block(topology::NodeKind::sram, "rtl.axi_memory", make), {}, own);
    fixture.link(router, sram, 0.0, 0.0);  // a flit arrives when told, and takes no time on the way back
    fixture.start();
  }
  Transaction& request(Op op, std::uint64_t bytes, TimeFs at, std::uint64_t address = 0) {
    Transaction& transaction = fixture.transaction(op, {router, sram}, bytes);
    transaction.address = address;
    fixture.scripted(router).request(transaction, at);
    return transaction;
  }
  std::vector<TimeFs> answers() { return fixture.times(sram, router); }
  std::map<std::string, std::int64_t> statistics() {
    std::vector<elab::Statistic> all;
    fixture.platform().block("sram").collect_statistics(all);
    std::map<std::string, std::int64_t> out;
    for (const elab::Statistic& one : all) out[one.name] = one.value;
    return out;
  }

  FabricFixture fixture;
  NodeId router, sram;
};

// Sampled at 11; the address is taken there, the first of 4 beats read_latency + 1 = 5 edges later.
TEST(RtlMemory, AReadTakesItsLatencyAndItsBeats) {
  AxiSram memory;
  memory.request(Op::read, 512, 10_ns);
  EXPECT_THAT(memory.fixture.run(), IsEmpty());
  // The second burst is asked for when the first one is over.
  EXPECT_THAT(memory.answers(), ElementsAre(19_ns + kHop, 28_ns + kHop));
}

// The second address waits from 11 until the first burst is over; it is taken at 20.
TEST(RtlMemory, PinsSayWhenItIsBusyAndWhenItStalls) {
  AxiSram memory;
  memory.request(Op::read, 512, 10_ns);
  EXPECT_THAT(memory.fixture.run(), IsEmpty());
  const resource::DeclaredUse use = memory.fixture.platform().resources().uses().at(0);
  EXPECT_EQ(use.declaration.name, "rtl");
  EXPECT_EQ(use.sums.busy, 18_ns);  // 10 .. 28
  EXPECT_EQ(use.sums.wait(), 8_ns);
  EXPECT_EQ(use.sums.bytes, 512u);
}

TEST(RtlMemory, TheTopologySaysWhichPins) {
  AxiSram memory({{"busy_when", std::string("rvalid&rready")}, {"stall_when", std::string()}});
  memory.request(Op::read, 512, 10_ns);
  EXPECT_THAT(memory.fixture.run(), IsEmpty());
  const resource::DeclaredUse use = memory.fixture.platform().resources().uses().at(0);
  EXPECT_EQ(use.sums.busy, 8_ns);  // a beat of 64 B each
  EXPECT_EQ(use.sums.wait(), 0_fs);
}

TEST(RtlMemory, APinThatDoesNotExistIsRefused) {
  try {
    AxiSram wrong({{"busy_when", std::string("arvalid & !aready")}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the block has no pin 'aready', which 'arvalid & !aready' names"));
    EXPECT_THAT(error.what(), HasSubstr("arready"));
  }
}

// The data is taken from 12 to 15, the answer write_latency + 1 = 3 edges later.
TEST(RtlMemory, AWriteTakesItsBeatsAndItsLatency) {
  AxiSram memory;
  const Transaction& write = memory.request(Op::write, 256, 10_ns);
  EXPECT_THAT(memory.fixture.run(), IsEmpty());
  EXPECT_EQ(write.delivered, 18_ns);
  EXPECT_THAT(memory.answers(), ElementsAre(18_ns + kHop));
}

TEST(RtlMemory, ChannelsAreShownAtTheEdgesThatEndTheirCycles) {
  using C = Waves::Change;
  AxiSram memory;
  memory.request(Op::read, 256, 10_ns, 0x1000);
  memory.request(Op::write, 128, 110_ns, 0x2000);
  EXPECT_THAT(memory.fixture.run(), IsEmpty());
  const auto pin = [&](const char* name) { return memory.fixture.waves().shown(std::string("sram.pins.") + name); };
  EXPECT_THAT(pin("arvalid"), ElementsAre(C(11_ns, 1), C(12_ns, 0)));
  EXPECT_THAT(pin("araddr"), ElementsAre(C(11_ns, 0x1000)));
  EXPECT_THAT(pin("arlen"), ElementsAre(C(11_ns, 3)));
  EXPECT_THAT(pin("rvalid"), ElementsAre(C(16_ns, 1), C(20_ns, 0)));
  EXPECT_THAT(pin("rlast"), ElementsAre(C(19_ns, 1), C(20_ns, 0)));
  EXPECT_THAT(pin("awvalid"), ElementsAre(C(111_ns, 1), C(112_ns, 0)));
  EXPECT_THAT(pin("awaddr"), ElementsAre(C(111_ns, 0x2000)));
  EXPECT_THAT(pin("wvalid"), ElementsAre(C(112_ns, 1), C(114_ns, 0)));
  EXPECT_THAT(pin("wlast"), ElementsAre(C(113_ns, 1), C(114_ns, 0)));
  EXPECT_THAT(pin("bvalid"), ElementsAre(C(116_ns, 1), C(117_ns, 0)));
}

TEST(RtlMemory, AShortFlitHasFewerBeats) {
  AxiSram memory({{"read_latency", std::int64_t{0}}});
  memory.request(Op::read, 65, 10_ns);  // two beats
  EXPECT_THAT(memory.fixture.run(), IsEmpty());
  EXPECT_THAT(memory.answers(), ElementsAre(13_ns + kHop));
}

TEST(RtlMemory, NoBurstCrossesABoundaryOf4KiB) {
  AxiSram memory({{"read_latency", std::int64_t{0}}});
  memory.request(Op::read, 256, 10_ns, 4096 - 96);  // from beat 4000 / 64: 2 beats before the boundary, 3 behind it
  EXPECT_THAT(memory.fixture.run(), IsEmpty());
  EXPECT_THAT(memory.answers(), ElementsAre(17_ns + kHop));  // addresses at 11 and 14, beats at 12, 13 and 15 to 17
}

TEST(RtlMemory, ReadsAndWritesHaveChannelsOfTheirOwn) {
  AxiSram memory;
  const Transaction& write = memory.request(Op::write, 256, 10_ns);
  memory.request(Op::read, 256, 10_ns);
  EXPECT_THAT(memory.fixture.run(), IsEmpty());
  EXPECT_EQ(write.delivered, 18_ns);
  EXPECT_THAT(memory.answers(), ElementsAre(18_ns + kHop, 19_ns + kHop));
}

TEST(RtlMemory, TheClockStandsStillWhenNothingIsAsked) {
  AxiSram memory;
  memory.request(Op::read, 256, 10_ns);
  memory.request(Op::read, 256, 1'000'000_ns);
  EXPECT_THAT(memory.fixture.run(), IsEmpty());
  EXPECT_EQ(memory.statistics().at("rtl_cycles"), 2 * 9);
  EXPECT_EQ(memory.statistics().at("reads"), 2);
  EXPECT_LT(memory.fixture.platform().scheduler().events(), 60u);
}

// Answers of reads and writes at random times, to the femtosecond.
struct Answers {
  std::array<TimeFs, 1000> times{};
  std::int64_t cycles = 0, compared = 0;
};
Answers random_answers(const Values& own) {
  return in_own_process([&] {
    AxiSram memory(own);
    std::mt19937 random(5);
    for (int i = 0; i < 200; ++i) {
      const auto at = TimeFs(static_cast<std::int64_t>(random() % 20'000'000) * 1000);
      memory.request(random() % 2 == 0 ? Op::read : Op::write, 1 + random() % 600, at, random() % 8192);
    }
    for (const std::string& problem : memory.fixture.run()) throw Error::model(problem);
    Answers answers;
    std::size_t count = 0;
    for (const TimeFs time : memory.answers()) answers.times.at(count++) = time;
    answers.cycles = memory.statistics().at("rtl_cycles");
    const auto statistics = memory.statistics();
    const auto compared = statistics.find("rtl_compared");
    if (compared != statistics.end()) answers.compared = compared->second;
    return answers;
  });
}

TEST(RtlMemory, NeitherAStandingClockNorComparedDataMoveATime) {
  const Answers on = random_answers({}), off = random_answers({{"gate", "off"}}),
                data = random_answers({{"verify", true}});
  EXPECT_EQ(on.times, off.times);
  EXPECT_LT(on.cycles, off.cycles);
  EXPECT_EQ(on.times, data.times);
  EXPECT_GT(data.compared, 2000);
}

TEST(RtlMemory, MessagesAreRefused) {
  AxiSram memory;
  const Transaction& message = memory.request(Op::message, 0, 10_ns);
  EXPECT_THAT(memory.fixture.run(), IsEmpty());
  EXPECT_EQ(message.status.code, "UNSUPPORTED_REQUEST");
}

// Changes what the memory says before an edge, knowing how its registers began.
using Mistake = std::function<void(const AxiManagerPins&, AxiMemoryPins&, RtlFill)>;

class FaultyMemory final : public IAxiMemory {
 public:
  FaultyMemory(Mistake mistake, RtlFill fill)
      : mistake_(std::move(mistake)), fill_(fill), memory_(modules::axi_memory_model()(fill)) {}
  static RtlMaker<IAxiMemory> maker(const Mistake& mistake) {
    return [mistake](RtlFill fill) { return std::make_unique<FaultyMemory>(mistake, fill); };
  }
  void reset(const Straps& straps) override { memory_->reset(straps); }
  AxiMemoryPins settle(const AxiManagerPins& pins) override {
    AxiMemoryPins out = memory_->settle(pins);
    mistake_(pins, out, fill_);
    return out;
  }
  void rise() override { memory_->rise(); }
  bool busy() override { return memory_->busy(); }

 private:
  Mistake mistake_;
  RtlFill fill_;
  std::unique_ptr<IAxiMemory> memory_;
};

// What ends a run with a read and a write of 256 B at 10 ns.
std::vector<std::string> problems_of(const Mistake& mistake, const Values& own = {}) {
  AxiSram memory(own, FaultyMemory::maker(mistake));
  memory.request(Op::read, 256, 10_ns);
  memory.request(Op::write, 256, 10_ns);
  return memory.fixture.run();
}
const Values kAlone{{"check_unknown", false}};  // no second copy
auto names(const std::string& what) {
  return Contains(AllOf(HasSubstr("sram (rtl.axi_memory): at edge "), HasSubstr(what)));
}

TEST(RtlMemoryFaults, DataThatNobodyAskedFor) {
  EXPECT_THAT(problems_of([](const AxiManagerPins&, AxiMemoryPins& pins, RtlFill) { pins.rvalid = true; }, kAlone),
              names("at edge 11, 11 ns, AXI4_ERRS_RID: rvalid with rid 0, of which no read is open"));
}

TEST(RtlMemoryFaults, AWrongId) {
  EXPECT_THAT(problems_of([](const AxiManagerPins&, AxiMemoryPins& pins, RtlFill) { pins.rid = 3; }),
              names("AXI4_ERRS_RID: rvalid with rid 3"));
}

TEST(RtlMemoryFaults, TooFewBeats) {
  EXPECT_THAT(problems_of([](const AxiManagerPins&, AxiMemoryPins& pins, RtlFill) { pins.rlast = pins.rvalid; }),
              names("AXI4_ERRS_RDATA_NUM: rlast is 1 with 4 beats to come"));
}

TEST(RtlMemoryFaults, AnAnswerBeforeTheData) {
  EXPECT_THAT(problems_of([](const AxiManagerPins&, AxiMemoryPins& pins, RtlFill) { pins.bvalid = pins.wready; }),
              names("AXI4_ERRS_BRESP_WLAST: bvalid before the last beat"));
}

TEST(RtlMemoryFaults, AnAnswerThatNobodyWaitsFor) {
  EXPECT_THAT(problems_of([](const AxiManagerPins&, AxiMemoryPins& pins, RtlFill) { pins.bvalid = true; }, kAlone),
              names("AXI4_ERRS_BRESP_ALL_DONE_EOS: bvalid with bid 0, of which no write is open"));
}

TEST(RtlMemoryFaults, AnErrorResponse) {
  EXPECT_THAT(problems_of([](const AxiManagerPins&, AxiMemoryPins& pins, RtlFill) { pins.bresp = 2; }),
              names("AXI4_ERRS_BRESP: bresp is 2, not OKAY"));
}

TEST(RtlMemoryFaults, OneThatNeverTakesAnAddress) {
  EXPECT_THAT(problems_of([](const AxiManagerPins&, AxiMemoryPins& pins, RtlFill) { pins = {}; },
                          {{"hang_cycles", std::int64_t{20}}}),
              names("accesses are open, and nothing was transferred for 24 cycles"));
}

TEST(RtlMemoryFaults, AHandshakeThatDependsOnWhatWasNeverWritten) {
  EXPECT_THAT(problems_of([](const AxiManagerPins&, AxiMemoryPins& pins, RtlFill fill) {
                pins.arready = pins.arready && fill == RtlFill::zeros;
              }),
              names("arready depends on a register that was never written (X)"));
}

// The manager of kernbench is always ready, so a memory that has to wait is made by hand.
TEST(AxiRules, WhatIsValidStaysAsItIs) {
  const auto after_waiting = [](const std::function<void(AxiMemoryPins&)>& change) {
    modules::AxiRules rules;
    AxiManagerPins manager;
    AxiMemoryPins memory;
    manager.arvalid = memory.arready = manager.awvalid = memory.awready = true;
    manager.wvalid = memory.wready = manager.wlast = true;
    rules.check(manager, memory);
    manager = {};
    memory = {};
    memory.rvalid = memory.rlast = memory.bvalid = true;
    rules.check(manager, memory);
    rules.check(manager, memory);
    change(memory);
    try {
      rules.check(manager, memory);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(after_waiting([](AxiMemoryPins&) {}), "");
  EXPECT_THAT(after_waiting([](AxiMemoryPins& pins) { pins.rvalid = false; }), HasSubstr("AXI4_ERRS_RVALID_STABLE"));
  EXPECT_THAT(after_waiting([](AxiMemoryPins& pins) { pins.rlast = false; }), HasSubstr("AXI4_ERRS_RLAST_STABLE"));
  EXPECT_THAT(after_waiting([](AxiMemoryPins& pins) { pins.bvalid = false; }), HasSubstr("AXI4_ERRS_BVALID_STABLE"));
  EXPECT_THAT(after_waiting([](AxiMemoryPins& pins) { pins.bid = 1; }), HasSubstr("AXI4_ERRS_BID_STABLE"));
}

}  // namespace
}  // namespace kb::test
