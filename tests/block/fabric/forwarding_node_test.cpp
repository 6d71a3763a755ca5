// One forwarding node alone: a router with neighbours that do what a script says.
#include "modules/fabric/forwarding_node.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "modules/kit/fabric_fixture.h"

namespace kb::test {
namespace {

using payload::Leg;
using payload::Op;
using payload::Transaction;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr TimeFs kHop = 1_fs;  // the least propagation

constexpr TimeFs ns(double value) {
  return TimeFs(static_cast<std::int64_t>(value * 1e6));
}

const std::string kPipelined = "pipelined";
const std::string kSerial = "serial";

struct Router {
  explicit Router(double overhead_ns, const std::string& decode = kPipelined)
      : overhead(ns(overhead_ns)), serial(decode == kSerial) {
    dut = fixture.add("dut", topology::NodeKind::noc_router, "builtin.forwarding",
                      {{"overhead_ns", overhead_ns}, {"decode", decode}});
    for (const char* id : {"a", "b", "c", "d"}) {
      outer.push_back(fixture.add_scripted(id));
      // Into the router a flit arrives exactly when told; out of it one flit takes 1 ns.
      fixture.link(outer.back(), dut, 0.0, 256.0);
    }
    fixture.start();
  }
  ScriptedNode& node(std::size_t i) { return fixture.scripted(outer[i]); }
  Transaction& write(std::size_t from, std::size_t to, std::uint64_t bytes) {
    return fixture.transaction(Op::write, {outer[from], dut, outer[to]}, bytes);
  }
  Transaction& read(std::size_t from, std::size_t to, std::uint64_t bytes) {
    return fixture.transaction(Op::read, {outer[from], dut, outer[to]}, bytes);
  }
  std::vector<TimeFs> out_times(std::size_t to) { return fixture.times(dut, outer[to]); }
  // (transaction, flit) in the order of departure.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> out_order(std::size_t to) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
    for (const Arrival& a : fixture.checker().arrivals(dut, outer[to])) order.emplace_back(a.transaction, a.index);
    return order;
  }

  FabricFixture fixture;
  TimeFs overhead;
  bool serial;
  NodeId dut;
  std::vector<NodeId> outer;
};

TEST(ForwardingNode, AStreamIsDelayedByTheOverheadOnce) {  // F-46, F-47, acceptance 7
  Router r(2.0);
  Transaction& t = r.write(0, 2, 8 * 256);
  r.node(0).send(0_fs, t, Leg::request, 0, 8, ns(10), ns(1));
  EXPECT_THAT(r.fixture.run(), IsEmpty());
  // The first flit is ready at 12 and through at 13; the others follow as they came.
  std::vector<TimeFs> expected;
  for (int i = 0; i < 8; ++i) expected.push_back(ns(13 + i) + kHop);
  EXPECT_EQ(r.out_times(2), expected);
  EXPECT_TRUE(r.out_times(1).empty());
  EXPECT_TRUE(r.out_times(3).empty());
}

using Figures = std::map<std::string, std::int64_t>;
Figures decoder_statistics(Router& router) {
  std::vector<elab::Statistic> all;
  router.fixture.platform().block(router.dut).collect_statistics(all);
  Figures found;
  for (const elab::Statistic& one : all) {
    if (one.name.rfind("decode.", 0) == 0) found[one.name] = one.value;
  }
  return found;
}

// Headers arrive at 10 and 11.
void pass_two_streams(Router& router) {
  router.node(0).send(0_fs, router.write(0, 2, 5 * 256), Leg::request, 0, 5, ns(10), ns(2));
  router.node(1).send(0_fs, router.write(1, 3, 256), Leg::request, 0, 1, ns(11), 0_fs);
  EXPECT_THAT(router.fixture.run(), IsEmpty());
}

TEST(ForwardingNode, CountsHeadersAndTheirWaitsForTheWorker) {
  Router r(2.0, kSerial);
  pass_two_streams(r);
  EXPECT_EQ(decoder_statistics(r),
            (Figures{{"decode.headers", 2}, {"decode.busy", ns(4).fs()}, {"decode.wait", ns(1).fs()}}));
}

TEST(ForwardingNode, CountsHeadersThatWaitForNothing) {
  Router r(2.0);
  pass_two_streams(r);
  EXPECT_EQ(decoder_statistics(r), (Figures{{"decode.headers", 2}, {"decode.busy", ns(4).fs()}}));
}

TEST(ForwardingNode, DecodesNothingWithoutAnOverhead) {
  Router r(0.0, kSerial);
  pass_two_streams(r);
  EXPECT_EQ(decoder_statistics(r), Figures());
}

TEST(ForwardingNode, NamesWhatItHoldsByWhatWasAsked) {
  Router r(2.0, kSerial);
  r.node(0).send(0_fs, r.write(0, 2, 8 * 256), Leg::request, 0, 8, ns(10), ns(1));
  r.fixture.platform().scheduler().set_time_limit(ns(5));  // announced, and taken when the first flit is here
  r.fixture.run();
  const std::vector<elab::WaitInfo> waits = r.fixture.platform().waits();
  ASSERT_FALSE(waits.empty());
  EXPECT_EQ(waits.front().who, "dut");
  EXPECT_EQ(waits.front().what, "the way on for 1 flit of write of 2 KiB at 0x0 by a");  // its header is kept apart
  EXPECT_EQ(waits.back().what, "the way on for 7 flits of write of 2 KiB at 0x0 by a");
}

TEST(ForwardingNode, AStreamKeepsItsGaps) {  // F-46: constant latency
  Router r(2.0);
  Transaction& t = r.write(0, 2, 4 * 256);
  r.node(0).send(0_fs, t, Leg::request, 0, 4, ns(10), ns(3));
  EXPECT_THAT(r.fixture.run(), IsEmpty());
  EXPECT_THAT(r.out_times(2), ElementsAre(ns(13) + kHop, ns(16) + kHop, ns(19) + kHop, ns(22) + kHop));
}

TEST(ForwardingNode, TheLastFlitOccupiesTheWireForItsOwnBytes) {  // F-28
  Router r(2.0);
  Transaction& t = r.write(0, 2, 2 * 256 + 64);
  r.node(0).send(0_fs, t, Leg::request, 0, 3, ns(10), 0_fs);
  EXPECT_THAT(r.fixture.run(), IsEmpty());
  EXPECT_THAT(r.out_times(2), ElementsAre(ns(13) + kHop, ns(14) + kHop, ns(14.25) + kHop));
}

TEST(ForwardingNode, ASerialHeaderHoldsUpBodyFlitsOfOtherEdges) {  // F-47: one serial worker
  Router r(2.0, kSerial);
  Transaction& first = r.write(0, 2, 5 * 256);
  Transaction& second = r.write(1, 3, 256);
  r.node(0).send(0_fs, first, Leg::request, 0, 5, ns(10), ns(2));
  r.node(1).send(0_fs, second, Leg::request, 0, 1, ns(15), 0_fs);
  EXPECT_THAT(r.fixture.run(), IsEmpty());
  // The header of the second keeps the worker from 15 to 17, so the flit that arrives at 16 is ready at 17.
  EXPECT_THAT(r.out_times(2), ElementsAre(ns(13) + kHop, ns(14) + kHop, ns(15) + kHop, ns(18) + kHop, ns(19) + kHop));
  EXPECT_THAT(r.out_times(3), ElementsAre(ns(18) + kHop));
}

TEST(ForwardingNode, APipelinedHeaderHoldsUpNobodyElse) {  // F-51
  Router r(2.0);
  Transaction& first = r.write(0, 2, 5 * 256);
  Transaction& second = r.write(1, 3, 256);
  r.node(0).send(0_fs, first, Leg::request, 0, 5, ns(10), ns(2));
  r.node(1).send(0_fs, second, Leg::request, 0, 1, ns(15), 0_fs);
  EXPECT_THAT(r.fixture.run(), IsEmpty());
  EXPECT_THAT(r.out_times(2), ElementsAre(ns(13) + kHop, ns(15) + kHop, ns(17) + kHop, ns(19) + kHop, ns(21) + kHop));
  EXPECT_THAT(r.out_times(3), ElementsAre(ns(18) + kHop));
}

// Two headers are decoded side by side; what is ready at one time leaves in the order of arrival.
TEST(ForwardingNode, PipelinedHeadersOverlapAndLeaveInOrderOfReadyTimeAndArrival) {  // F-51
  Router r(2.0);
  Transaction& from_b = r.write(1, 2, 3 * 256);
  Transaction& from_a = r.write(0, 2, 3 * 256);
  r.node(0).send(0_fs, from_a, Leg::request, 0, 3, ns(10), ns(1));  // ready 12, 13, 14
  r.node(1).send(0_fs, from_b, Leg::request, 0, 3, ns(10), ns(1));  // the same, and its edge comes second
  EXPECT_THAT(r.fixture.run(), IsEmpty());
  EXPECT_THAT(r.out_order(2),
              ElementsAre(std::pair(from_a.id, 0u), std::pair(from_b.id, 0u), std::pair(from_a.id, 1u),
                          std::pair(from_b.id, 1u), std::pair(from_a.id, 2u), std::pair(from_b.id, 2u)));
  std::vector<TimeFs> expected;
  for (int i = 0; i < 6; ++i) expected.push_back(ns(13 + i) + kHop);
  EXPECT_EQ(r.out_times(2), expected);
}

TEST(ForwardingNode, ABodyMayBeAnnouncedLaterThanItsHeader) {  // F-47, F-51
  Router r(8.0);
  Transaction& t = r.write(0, 2, 3 * 256);
  r.node(0).send(0_fs, t, Leg::request, 0, 1, ns(10), 0_fs);
  r.node(0).send(ns(9), t, Leg::request, 1, 2, ns(11), ns(1));
  EXPECT_THAT(r.fixture.run(), IsEmpty());
  EXPECT_THAT(r.out_times(2), ElementsAre(ns(19) + kHop, ns(20) + kHop, ns(21) + kHop));
}

TEST(ForwardingNode, ZeroByteMessagesOvertakeInTheWorker) {  // F-49
  Router r(2.0, kSerial);
  Transaction& first = r.write(0, 2, 256);
  Transaction& second = r.write(1, 2, 256);
  Transaction& message = r.read(3, 2, 256);
  Transaction& elsewhere = r.read(1, 3, 256);
  r.node(0).send(0_fs, first, Leg::request, 0, 1, ns(10), 0_fs);   // worker 10 .. 12, wire 12 .. 13
  r.node(1).send(0_fs, second, Leg::request, 0, 1, ns(11), 0_fs);  // worker 12 .. 14, wire 14 .. 15
  r.node(3).send_message(message, Leg::request, ns(11.5));         // ready 13.5: before the second, which came earlier
  r.node(1).send_message(elsewhere, Leg::request, ns(11.25));
  EXPECT_THAT(r.fixture.run(), IsEmpty());
  EXPECT_THAT(r.out_times(2), ElementsAre(ns(13) + kHop, ns(13.5) + kHop, ns(15) + kHop));
  EXPECT_THAT(r.out_order(2),
              ElementsAre(std::pair(first.id, 0u), std::pair(message.id, 0u), std::pair(second.id, 0u)));
  EXPECT_THAT(r.out_times(3), ElementsAre(ns(13.25) + kHop));
}

TEST(ForwardingNode, ZeroByteMessagesQueueOnTheWireOnly) {  // F-30, F-49
  Router r(2.0);
  Transaction& data = r.write(0, 2, 4 * 256);
  Transaction& message = r.read(1, 2, 256);
  r.node(0).send(0_fs, data, Leg::request, 0, 4, ns(10), 0_fs);  // wire 12 .. 16
  r.node(1).send_message(message, Leg::request, ns(11.5));       // ready 13.5, behind what was ready before it
  EXPECT_THAT(r.fixture.run(), IsEmpty());
  EXPECT_THAT(r.out_times(2), ElementsAre(ns(13) + kHop, ns(14) + kHop, ns(15) + kHop, ns(16) + kHop, ns(16) + kHop));
}

TEST(ForwardingNode, StreamsInterleaveByTimeAndThenByIncomingEdge) {
  Router r(0.0);
  Transaction& from_b = r.write(1, 2, 3 * 256);
  Transaction& from_a = r.write(0, 2, 3 * 256);
  r.node(1).send(0_fs, from_b, Leg::request, 0, 3, ns(10), ns(1));
  r.node(0).send(ns(1), from_a, Leg::request, 0, 3, ns(10), ns(1));  // announced later, yet its edge comes first
  EXPECT_THAT(r.fixture.run(), IsEmpty());
  EXPECT_THAT(r.out_order(2),
              ElementsAre(std::pair(from_a.id, 0u), std::pair(from_b.id, 0u), std::pair(from_a.id, 1u),
                          std::pair(from_b.id, 1u), std::pair(from_a.id, 2u), std::pair(from_b.id, 2u)));
  std::vector<TimeFs> expected;
  for (int i = 0; i < 6; ++i) expected.push_back(ns(11 + i) + kHop);
  EXPECT_EQ(r.out_times(2), expected);
}

TEST(ForwardingNode, PassesARollbackOnAndTakesTheNewAnnouncement) {  // SHORTEN
  Router r(2.0);
  Transaction& t = r.write(0, 2, 8 * 256);
  r.node(0).send(0_fs, t, Leg::request, 0, 8, ns(10), ns(1));
  r.node(0).postpone(ns(12.5), t, Leg::request, 3, ns(5), ns(14));
  EXPECT_THAT(r.fixture.run(), IsEmpty());
  EXPECT_THAT(r.out_times(2), ElementsAre(ns(13) + kHop, ns(14) + kHop, ns(15) + kHop, ns(21) + kHop, ns(22) + kHop,
                                          ns(23) + kHop, ns(24) + kHop, ns(25) + kHop));
  EXPECT_EQ(r.fixture.checker().shortened(), 2u);  // at the router, which had passed the announcement on, and behind it
}

TEST(ForwardingNode, AWholeLegCanBeRolledBackAndBeginAgain) {  // SHORTEN from flit 0
  Router r(2.0);
  Transaction& t = r.write(0, 2, 2 * 256);
  r.node(0).send(0_fs, t, Leg::request, 0, 2, ns(10), ns(1));
  r.node(0).postpone(ns(4), t, Leg::request, 0, ns(20), ns(6));
  EXPECT_THAT(r.fixture.run(), IsEmpty());
  EXPECT_THAT(r.out_times(2), ElementsAre(ns(33) + kHop, ns(34) + kHop));
  EXPECT_EQ(r.fixture.checker().shortened(), 1u);  // nothing was passed on before the header was here
}

TEST(ForwardingNode, AnUndisturbedRunCostsNoMoreEventsThanAFlit) {  // docs/architecture/fabric.md, costs
  Router r(2.0);
  Transaction& small = r.write(0, 2, 256);
  Transaction& large = r.write(0, 2, kMiB);
  const auto events_of = [&](Transaction& t, TimeFs at) {
    const std::uint64_t before = r.fixture.platform().scheduler().events();
    r.node(0).send(at, t, Leg::request, 0, t.flits, at + ns(10), ns(1));
    EXPECT_THAT(r.fixture.run(), IsEmpty());
    return r.fixture.platform().scheduler().events() - before;
  };
  const std::uint64_t few = events_of(small, 0_fs);
  EXPECT_LE(events_of(large, ns(1000)), few + 2);
}

TEST(ForwardingNode, ACompetitorUndoesFewCommitsOfALongQueue) {
  constexpr int kQueue = 5000, kMax = 8;
  Router r(2.0);
  for (int i = 0; i < kQueue; ++i) r.node(0).send(0_fs, r.write(0, 2, 256), Leg::request, 0, 1, ns(10 + i), 0_fs);
  r.node(1).send(ns(15), r.write(1, 2, 256), Leg::request, 0, 1, ns(20), 0_fs);
  EXPECT_THAT(r.fixture.run(), IsEmpty());
  EXPECT_EQ(r.out_times(2).size(), kQueue + 1u);
  EXPECT_LE(r.fixture.checker().shortened(), kMax);
}

// What the router must send, computed flit by flit from what arrived.
class Oracle {
 public:
  explicit Oracle(Router& router) : router_(router) {}

  std::map<NodeId, std::vector<Arrival>> departures() {
    for (std::uint32_t port = 0; port < router_.outer.size(); ++port) {
      for (const Arrival& a : router_.fixture.checker().arrivals(router_.outer[port], router_.dut)) {
        items_.push_back({a, {a.time, port, a.sequence}});
      }
    }
    std::sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) { return a.key < b.key; });
    TimeFs worker = 0_fs;
    for (Item& item : items_) {
      item.ready = item.arrival.time + router_.overhead;
      if (item.arrival.message || !router_.serial) continue;
      worker = std::max(worker, item.arrival.time) + (item.arrival.index == 0 ? router_.overhead : 0_fs);
      item.ready = worker;
    }
    std::sort(items_.begin(), items_.end(),
              [](const Item& a, const Item& b) { return a.ready != b.ready ? a.ready < b.ready : a.key < b.key; });
    std::map<NodeId, std::vector<Arrival>> sent;
    std::map<NodeId, TimeFs> available;
    for (const Item& item : items_) {
      const Transaction& t = *transactions.at(item.arrival.transaction);
      const NodeId to = item.arrival.leg == Leg::request ? t.route->nodes.back() : t.route->nodes.front();
      TimeFs through = std::max(item.ready, available[to]);
      if (!item.arrival.message) {
        through += Bandwidth(256).occupancy(item.arrival.index + 1 == t.flits ? t.last_flit_bytes : 256);
        available[to] = through;
      }
      sent[to].push_back(item.arrival);
      sent[to].back().time = through + kHop;
    }
    return sent;
  }

  std::map<std::uint64_t, Transaction*> transactions;

 private:
  struct Item {
    Arrival arrival;
    std::tuple<TimeFs, std::uint32_t, std::uint64_t> key;
    TimeFs ready = 0_fs;
  };
  Router& router_;
  std::vector<Item> items_;
};

// Random announced in pieces, rollbacks and messages, many at equal times.
void play(Router& r, Oracle& oracle, std::mt19937& random, int count) {
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  std::vector<TimeFs> cursor(r.outer.size(), ns(10));
  for (int i = 0; i < count; ++i) {
    const auto from = static_cast<std::size_t>(pick(0, 3));
    const std::size_t to = (from + static_cast<std::size_t>(pick(1, 3))) % 4;
    const auto bytes = static_cast<std::uint64_t>(pick(0, 2) == 0 ? pick(1, 1000) : 256 * pick(1, 24));
    const bool response = pick(0, 2) == 0;
    const Leg leg = response ? Leg::response : Leg::request;
    const bool message = pick(0, 3) == 0;
    Transaction& t = response != message ? r.read(response ? to : from, response ? from : to, bytes)
                                         : r.write(response ? to : from, response ? from : to, bytes);
    oracle.transactions[t.id] = &t;
    const TimeFs start = cursor[from] + pick(0, 8) * ns(0.5);
    if (message) {
      r.node(from).send_message(t, leg, start);
      cursor[from] = std::max(cursor[from], start);
      continue;
    }
    const TimeFs spacing = pick(0, 4) * ns(0.5);
    const TimeFs announced = start - ns(pick(1, 6));
    const auto cut = static_cast<std::uint32_t>(pick(0, static_cast<int>(t.flits)));
    if (cut > 0) r.node(from).send(announced, t, leg, 0, cut, start, spacing);
    const TimeFs rest = start + cut * spacing;
    if (cut < t.flits) r.node(from).send(announced, t, leg, cut, t.flits - cut, rest + pick(0, 1) * ns(1), spacing);
    cursor[from] = rest + (t.flits - cut) * spacing;
    if (pick(0, 1) == 0) continue;
    const TimeFs at = start + pick(-2, 12) * ns(0.25);
    r.node(from).postpone(at, t, leg, static_cast<std::uint32_t>(pick(0, static_cast<int>(t.flits) - 1)),
                          pick(0, 6) * ns(0.5), at);
  }
}

class RandomForwarding : public testing::TestWithParam<std::tuple<double, std::string, unsigned>> {};

TEST_P(RandomForwarding, EqualsAFlitByFlitRouter) {  // F-45 .. F-51
  const auto [overhead_ns, decode, seed] = GetParam();
  Router r(overhead_ns, decode);
  Oracle oracle(r);
  std::mt19937 random(seed);
  play(r, oracle, random, 400);
  EXPECT_THAT(r.fixture.run(), IsEmpty());
  EXPECT_GT(r.fixture.checker().shortened(), 20u);
  for (const auto& [to, expected] : oracle.departures()) {
    const std::vector<Arrival> actual = r.fixture.checker().arrivals(r.dut, to);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(std::tie(actual[i].time, actual[i].transaction, actual[i].leg, actual[i].index),
                std::tie(expected[i].time, expected[i].transaction, expected[i].leg, expected[i].index))
          << "departure " << i << " of " << expected.size();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Overheads, RandomForwarding,
                         testing::Combine(testing::Values(0.0, 2.0, 8.0), testing::Values(kPipelined, kSerial),
                                          testing::Range(0u, 6u)));

}  // namespace
}  // namespace kb::test
