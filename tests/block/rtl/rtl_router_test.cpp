// A router whose RTL is simulated, between neighbours that do what a script says; the built-in one beside it.
#include "modules/rtl/rtl_router.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <random>

#include "modules/kit/fabric_fixture.h"
#include "platform/base/error.h"
#include "tests/support/own_process.h"

namespace kb::test {
namespace {

using modules::IRouterModel;
using modules::RtlFill;
using modules::RtlMaker;
using payload::Op;
using payload::Transaction;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr TimeFs kHop = 1_fs;  // the least propagation

// a, b, c and d around one router; what leaves it takes 1 ns per flit of 256 B.
struct Crossing {
  explicit Crossing(const Values& own = {}, const RtlMaker<IRouterModel>& make = modules::router_model()) {
    router = fixture.add_block("router", modules::rtl_router_block("rtl.router", make), {{"overhead_ns", 2.0}}, own);
    surround();
  }

  void surround() {
    for (const char* id : {"a", "b", "c", "d"}) {
      outer.push_back(fixture.add_scripted(id));
      fixture.link(outer.back(), router, 0.0, 256.0);
    }
    fixture.start();
  }
  Transaction& write(std::size_t from, std::size_t to, std::uint64_t bytes, TimeFs at, TimeFs spacing = 1_ns) {
    Transaction& transaction = fixture.transaction(Op::write, {outer[from], router, outer[to]}, bytes);
    fixture.scripted(outer[from]).request(transaction, at, spacing);
    return transaction;
  }
  std::vector<TimeFs> times(std::size_t to) { return fixture.times(router, outer[to]); }
  std::vector<std::uint64_t> order(std::size_t to) {  // transactions
    std::vector<std::uint64_t> out;
    for (const Arrival& flit : fixture.checker().arrivals(router, outer[to])) out.push_back(flit.transaction);
    return out;
  }
  std::map<std::string, std::int64_t> statistics() {
    std::vector<elab::Statistic> all;
    fixture.platform().block("router").collect_statistics(all);
    std::map<std::string, std::int64_t> out;
    for (const elab::Statistic& one : all) out[one.name] = one.value;
    return out;
  }
  std::uint64_t events() { return fixture.platform().scheduler().events(); }

  FabricFixture fixture;
  NodeId router;
  std::vector<NodeId> outer;
};

TEST(RtlRouter, AFlitLeavesAtTheSecondEdgeAfterItsArrival) {
  Crossing crossing;
  crossing.write(0, 2, 256, 10_ns);  // at an edge, which does not sample it
  crossing.write(1, 3, 256, 19.25_ns);
  EXPECT_THAT(crossing.fixture.run(), IsEmpty());
  EXPECT_THAT(crossing.times(2), ElementsAre(13_ns + kHop));  // sampled at 11, leaves at 12, 1 ns on the wire
  EXPECT_THAT(crossing.times(3), ElementsAre(22_ns + kHop));  // sampled at 20
}

TEST(RtlRouter, AnEdgeOfARunningClockSamplesWhatCameStrictlyBefore) {
  Crossing crossing;
  crossing.write(0, 2, 8 * 256, 10_ns);
  crossing.write(1, 3, 256, 12_ns);
  crossing.write(3, 1, 256, 12_ns - 1_fs);
  EXPECT_THAT(crossing.fixture.run(), IsEmpty());
  EXPECT_THAT(crossing.times(3), ElementsAre(15_ns + kHop));  // sampled at 13
  EXPECT_THAT(crossing.times(1), ElementsAre(14_ns + kHop));  // sampled at 12
}

TEST(RtlRouter, EdgesAreAtPhaseAndMultiplesOfThePeriod) {
  Crossing crossing({{"clock_ghz", 0.4}, {"phase_ns", 0.5}});  // 0.5, 3, 5.5, 8, 10.5 ...
  crossing.write(0, 2, 256, 10.5_ns);
  crossing.write(1, 3, 256, 0_ns);
  EXPECT_THAT(crossing.fixture.run(), IsEmpty());
  EXPECT_THAT(crossing.times(2), ElementsAre(16.5_ns + kHop));  // sampled at 13, leaves at 15.5
  EXPECT_THAT(crossing.times(3), ElementsAre(4_ns + kHop));
}

TEST(RtlRouter, AStreamGoesAtTheRateOfItsWire) {
  Crossing crossing({{"clock_ghz", 1.7}});  // no multiple of it is the 1 ns of a flit
  crossing.write(0, 2, 100 * 256, 10_ns);
  EXPECT_THAT(crossing.fixture.run(), IsEmpty());
  const std::vector<TimeFs> times = crossing.times(2);
  ASSERT_EQ(times.size(), 100u);
  for (std::size_t i = 1; i < times.size(); ++i) EXPECT_GE(times[i] - times[i - 1], 1_ns);
  EXPECT_LE(times.back() - times.front(), 99_ns + 1_ns);
}

TEST(RtlRouter, TwoStreamsAlternate) {
  Crossing crossing;
  crossing.write(0, 2, 6 * 256, 10_ns);
  crossing.write(1, 2, 6 * 256, 10_ns);
  EXPECT_THAT(crossing.fixture.run(), IsEmpty());
  EXPECT_THAT(crossing.order(2), ElementsAre(0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1));
}

TEST(RtlRouter, StreamsOfOneInputMayBeInterleaved) {
  Crossing crossing;
  crossing.write(0, 2, 4 * 256, 10_ns, 2_ns);
  crossing.write(0, 3, 4 * 256, 11_ns, 2_ns);
  crossing.write(1, 3, 4 * 256, 10_ns, 2_ns);
  crossing.write(1, 2, 4 * 256, 11_ns, 2_ns);
  EXPECT_THAT(crossing.fixture.run(), IsEmpty());
  EXPECT_EQ(crossing.times(2).size(), 8u);
  EXPECT_EQ(crossing.times(3).size(), 8u);
}

TEST(RtlRouter, WhatFindsAFullQueueWaitsInFrontOfIt) {
  Crossing crossing({{"fifo_depth", std::int64_t{1}}});
  crossing.write(0, 2, 20 * 256, 10_ns, 0_ns);
  crossing.write(1, 2, 20 * 256, 10_ns, 0_ns);
  EXPECT_THAT(crossing.fixture.run(), IsEmpty());
  EXPECT_EQ(crossing.times(2).size(), 40u);
  EXPECT_EQ(crossing.statistics().at("rtl_flits"), 40);
  EXPECT_EQ(crossing.statistics().at("rtl_most_waiting"), 20);
}

TEST(RtlRouter, MessagesGoPastIt) {
  Crossing crossing;
  Transaction& read =
      crossing.fixture.transaction(Op::read, {crossing.outer[0], crossing.router, crossing.outer[2]}, 256);
  crossing.fixture.scripted(crossing.outer[2]).answer_after(5_ns);
  crossing.fixture.scripted(crossing.outer[0]).request(read, 10.25_ns);
  EXPECT_THAT(crossing.fixture.run(), IsEmpty());
  EXPECT_THAT(crossing.times(2), ElementsAre(12.25_ns + kHop));  // overhead_ns, and no clock
  EXPECT_EQ(crossing.times(0).size(), 1u);
  EXPECT_EQ(crossing.statistics().at("rtl_flits"), 1);
}

TEST(RtlRouter, NothingHappensWhileTheClockStandsStill) {
  const auto events = [](TimeFs gap) {
    Crossing crossing;
    crossing.write(0, 2, 256, 10_ns);
    crossing.write(0, 2, 256, 10_ns + gap);
    EXPECT_THAT(crossing.fixture.run(), IsEmpty());
    EXPECT_EQ(crossing.statistics().at("rtl_cycles"), 6);  // sampled, shown, gone; twice
    EXPECT_EQ(crossing.times(2).at(1) - crossing.times(2).at(0), gap);
    return crossing.events();
  };
  EXPECT_LT(events(1'000'000_ns), 60u);
}

// Sampled at 11 and 12, shown behind 12 and 13.
TEST(RtlRouter, PinsAreShownAtTheEdgesThatSeeThem) {
  using C = Waves::Change;
  Crossing crossing;
  crossing.write(0, 2, 2 * 256, 10_ns);
  EXPECT_THAT(crossing.fixture.run(), IsEmpty());
  const auto pin = [&](const char* name) { return crossing.fixture.waves().shown(std::string("router.pins.") + name); };
  EXPECT_THAT(pin("in_valid"), ElementsAre(C(11_ns, 1), C(13_ns, 0)));
  EXPECT_THAT(pin("in_taken"), ElementsAre(C(11_ns, 1), C(13_ns, 0)));
  EXPECT_THAT(pin("in_flit0.a"), ElementsAre(C(11_ns, 0x4200000000000001u), C(12_ns, 0x8200000000000002u)));
  EXPECT_THAT(pin("out_valid"), ElementsAre(C(12_ns, 4), C(14_ns, 0)));
  EXPECT_THAT(pin("out_flit2.c"), ElementsAre(C(12_ns, 0x4200000000000001u), C(13_ns, 0x8200000000000002u)));
  EXPECT_THAT(pin("out_ready"), ElementsAre(C(13_ns, 4), C(15_ns, 0)));
  EXPECT_THAT(pin("busy"), ElementsAre(C(11_ns, 1), C(14_ns, 0)));
  EXPECT_THAT(pin("in_flit1.b"), IsEmpty());
}

// A line for each change of a pin.
std::string pins_of_random_traffic(const std::string& gate) {
  return sim::run_isolated({[&] {
    Crossing crossing({{"gate", gate}, {"clock_ghz", 1.3}});
    std::mt19937 random(7);
    for (int i = 0; i < 200; ++i) {
      const auto from = random() % 4, to = (from + 1 + random() % 3) % 4;
      const auto bytes = 1 + random() % 2000;
      crossing.write(from, to, bytes, (1 + random() % 400) * 20_ns);
    }
    for (const std::string& problem : crossing.fixture.run()) throw Error::model(problem);
    std::string lines;
    for (const auto& entry : crossing.fixture.waves().changes) {
      if (entry.first.rfind("router.pins.", 0) != 0) continue;
      for (const auto& [at, value] : crossing.fixture.waves().shown(entry.first)) {
        lines += entry.first + " " + std::to_string(at.fs()) + " " + std::to_string(value) + "\n";
      }
    }
    return lines;
  }})[0];
}

TEST(RtlRouter, PinsAreTheSameWithBothGates) {
  const std::string on = pins_of_random_traffic("on");
  EXPECT_THAT(on, AllOf(HasSubstr("router.pins.in_valid "), HasSubstr("router.pins.busy "),
                        HasSubstr("router.pins.out_flit3.d ")));
  EXPECT_GT(std::count(on.begin(), on.end(), '\n'), 1000);
  EXPECT_EQ(on, pins_of_random_traffic("off"));
}

struct Crossed {
  std::int64_t cycles = 0;
  std::size_t flits = 0;
  std::array<TimeFs, 1500> times{};  // at all neighbours, one after the other

  friend bool operator==(const Crossed& a, const Crossed& b) { return a.flits == b.flits && a.times == b.times; }
};

Crossed crossed(Crossing& crossing) {
  Crossed result;
  for (const std::string& problem : crossing.fixture.run()) throw Error::model(problem);
  for (std::size_t to = 0; to < 4; ++to) {
    for (const TimeFs time : crossing.times(to)) result.times.at(result.flits++) = time;
  }
  result.cycles = crossing.statistics()["rtl_cycles"];
  return result;
}

Crossed random_traffic(const Values& own, std::uint32_t seed) {
  return in_own_process([&] {
    Crossing crossing(own);
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t end) { return random() % end; };
    for (int i = 0; i < 300; ++i) {
      const std::size_t from = below(4), to = (from + 1 + below(3)) % 4;
      crossing.write(from, to, 256 * (1 + below(6)), TimeFs(static_cast<std::int64_t>(below(30'000'000)) * 100),
                     TimeFs(static_cast<std::int64_t>(below(3)) * 500'000));
    }
    return crossed(crossing);
  });
}

TEST(RtlRouter, AStandingClockMovesNoTime) {
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    for (const double ghz : {1.0, 0.7, 3.3}) {
      const Crossed on = random_traffic({{"clock_ghz", ghz}}, seed);
      const Crossed off = random_traffic({{"clock_ghz", ghz}, {"gate", "off"}}, seed);
      EXPECT_EQ(on, off) << seed << ", " << ghz << " GHz";
      EXPECT_GT(on.flits, 900u);
      EXPECT_LT(on.cycles, off.cycles);
    }
  }
}

TEST(RtlRouter, TheSecondCopyMovesNoTime) {
  EXPECT_EQ(random_traffic({}, 4), random_traffic({{"check_unknown", false}}, 4));
}

// Three routers in a row, 0.3 ns apart.
Crossed through_three(bool rtl, TimeFs at) {
  return in_own_process([=] {
    FabricFixture fixture;
    const Values overhead{{"overhead_ns", 2.0}};
    std::vector<NodeId> route{fixture.add_scripted("a")};
    for (const char* id : {"r0", "r1", "r2"}) {
      route.push_back(
          rtl ? fixture.add_block(id, modules::rtl_router_block("rtl.router", modules::router_model()), overhead)
              : fixture.add(id, topology::NodeKind::noc_router, "builtin.forwarding", overhead));
    }
    route.push_back(fixture.add_scripted("b"));
    fixture.link(route[0], route[1], 0.0, 0.0);
    for (std::size_t i = 1; i < 4; ++i) fixture.link(route[i], route[i + 1], 256.0, 256.0, 0.3);
    fixture.start();
    fixture.scripted(route[0]).request(fixture.transaction(Op::write, route, 50 * 256), at, 1_ns);
    for (const std::string& problem : fixture.run()) throw Error::model(problem);
    Crossed result;
    for (const TimeFs time : fixture.times(route[3], route[4])) result.times.at(result.flits++) = time;
    return result;
  });
}

TEST(RtlRouter, AStreamIsWithinACyclePerHopOfTheBuiltInRouter) {
  for (const TimeFs at : {10_ns, 10.1_ns, 10.5_ns, 10.999_ns}) {
    const Crossed rtl = through_three(true, at), analytic = through_three(false, at);
    ASSERT_EQ(rtl.flits, 50u);
    ASSERT_EQ(analytic.flits, 50u);
    for (std::size_t i = 0; i < 50; ++i) {
      const std::int64_t difference = (rtl.times[i] - analytic.times[i]).fs();
      EXPECT_LE(std::abs(difference), (3 * 1_ns).fs()) << "flit " << i << " from " << format_ns(at);
    }
  }
}

// Changes what the router puts out, knowing how its registers began.
using Mistake = std::function<void(IRouterModel::Outputs&, RtlFill)>;

class FaultyRouter final : public IRouterModel {
 public:
  FaultyRouter(Mistake mistake, RtlFill fill)
      : mistake_(std::move(mistake)), fill_(fill), router_(modules::router_model()(fill)) {}
  static RtlMaker<IRouterModel> maker(const Mistake& mistake) {
    return [mistake](RtlFill fill) { return std::make_unique<FaultyRouter>(mistake, fill); };
  }
  const Outputs& clock(const Inputs& inputs) override {
    out_ = router_->clock(inputs);
    mistake_(out_, fill_);
    return out_;
  }

 private:
  Mistake mistake_;
  RtlFill fill_;
  std::unique_ptr<IRouterModel> router_;
  Outputs out_;
};

// What the run says that a write of four flits from a to c, at 10 ns, ends with.
std::vector<std::string> problems_of(const Mistake& mistake, const Values& own = {}) {
  Crossing crossing(own, FaultyRouter::maker(mistake));
  crossing.write(0, 2, 1024, 10_ns, 0_ns);
  return crossing.fixture.run();
}

TEST(RtlRouterFaults, OneThatIsBusyForever) {
  EXPECT_THAT(
      problems_of([](IRouterModel::Outputs& out, RtlFill) { out.busy = true; }, {{"hang_cycles", std::int64_t{50}}}),
      Contains(AllOf(HasSubstr("router (rtl.router): behind edge "), HasSubstr(" ns busy is 1, nothing is inside, "),
                     HasSubstr("for 50 cycles nothing has come in or out"))));
}

TEST(RtlRouterFaults, OneThatKeepsItsFlits) {
  EXPECT_THAT(problems_of([](IRouterModel::Outputs& out, RtlFill) { out.out_valid = 0, out.busy = true; },
                          {{"hang_cycles", std::int64_t{50}}}),
              Contains(HasSubstr("busy is 1, flits are inside, and for 50 cycles")));
}

TEST(RtlRouterFaults, AnOutputThatDependsOnWhatWasNeverWritten) {
  const Mistake mistake = [](IRouterModel::Outputs& out, RtlFill fill) {
    if (fill == RtlFill::ones && out.out_valid != 0) out.out_flit[2] ^= std::uint64_t{1} << 40;
  };
  EXPECT_THAT(
      problems_of(mistake),
      Contains(HasSubstr("router (rtl.router): behind edge 12 at 12 ns out_flit of port 2 depends on a register")));
}

TEST(RtlRouterFaults, ATagThatNobodyGave) {
  EXPECT_THAT(problems_of([](IRouterModel::Outputs& out, RtlFill) { out.out_flit[2] = 77; }),
              Contains(HasSubstr("at 12 ns out_flit of port 2 is 0x000000000000004d, whose tag is of no flit inside")));
}

TEST(RtlRouterFaults, AFlitAtTheWrongPort) {
  const Mistake mistake = [](IRouterModel::Outputs& out, RtlFill) {
    if (out.out_valid == 4) out.out_valid = 8, out.out_flit[3] = out.out_flit[2];
  };
  EXPECT_THAT(problems_of(mistake), Contains(HasSubstr("out_flit of port 3 is 0x4200000000000001, but went in as")));
}

TEST(RtlRouterFaults, APortWithoutANeighbour) {
  EXPECT_THAT(problems_of([](IRouterModel::Outputs& out, RtlFill) { out.out_valid = 0x40; }),
              Contains(HasSubstr("out_valid is 0x40, but only 4 ports have a neighbour")));
}

TEST(RtlRouterFaults, AFlitThatChangesWhileItWaits) {
  int shown = 0;
  const Mistake mistake = [shown](IRouterModel::Outputs& out, RtlFill) mutable {
    if (out.out_valid != 0 && ++shown == 3) out.out_flit[2] ^= 1;
  };
  EXPECT_THAT(problems_of(mistake, {{"clock_ghz", 4.0}}),
              Contains(HasSubstr("out_flit of port 2 changes, although out_ready is 0")));
}

TEST(RtlRouterFaults, OneThatActsByItselfHasNoClockToStop) {
  int edges = 0;
  const Mistake mistake = [edges](IRouterModel::Outputs& out, RtlFill) mutable {
    if (++edges == 6) out.busy = true;  // after two edges of reset
  };
  EXPECT_THAT(problems_of(mistake, {{"gate", "off"}}),
              Contains(HasSubstr("busy is 1 behind the edge at 3 ns, although nothing is inside")));
}

}  // namespace
}  // namespace kb::test
