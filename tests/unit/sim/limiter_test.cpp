#include "sim/analysis/findings/limiter.h"

#include <gtest/gtest.h>

#include "platform/contract/completion.h"
#include "platform/contract/share_words.h"

namespace kb::sim {
namespace {

using contract::PeResource;
using contract::TimeShare;

LaunchRecord launch_with(const contract::TimeShares& shares) {
  contract::PeResult pe;
  pe.exec = 1000_ns;
  pe.shares = shares;
  LaunchRecord launch;
  launch.completed = 1100_ns;
  launch.set_results({pe}, false);
  return launch;
}

contract::TimeShares shares_of(TimeFs computing, TimeFs waiting, TimeFs reading) {
  contract::TimeShares shares;
  shares.time[contract::share_index(engine::EngineId::math)] = computing;
  shares.time[contract::share_index(TimeShare::dependency)] = waiting;
  shares.busy[static_cast<std::size_t>(PeResource::compute)] = computing;
  shares.busy[static_cast<std::size_t>(PeResource::read_channel)] = reading;
  return shares;
}

TEST(Limiter, IsTheResourceInUseForHalfOfTheKernel) {
  const auto half = limiter_of(launch_with(shares_of(100_ns, 900_ns, 500_ns)));
  ASSERT_TRUE(half);
  EXPECT_EQ(half->name, "read_channel");
  EXPECT_EQ(half->text(1000_ns), "the DMA read channels, round trips included, 50.0 %");
  EXPECT_EQ(limiter_of(launch_with(shares_of(100_ns, 900_ns, 500_ns - 1_fs)))->name, "dependency");
}

TEST(Limiter, IsElseWhatThePeDidLongest) {
  LaunchRecord launch = launch_with(shares_of(290_ns, 710_ns, 4_ns));
  EXPECT_EQ(limiter_of(launch)->text(1000_ns), "waited for other PEs, 71.0 %");
  launch.awaited = PeCoord{SipId(0), CubeId(1), PeId(2)};
  EXPECT_EQ(limiter_of(launch)->text(1000_ns), "waited for messages, mostly from sip0.cube1.pe2, 71.0 %");
  EXPECT_EQ(limiter_of(launch_with(shares_of(450_ns, 440_ns, 4_ns)))->text(1000_ns), "computed in PE_MATH, 45.0 %");
}

TEST(Limiter, ThereIsNoneWhereNothingTookTime) {
  EXPECT_FALSE(limiter_of(LaunchRecord()));
  EXPECT_FALSE(limiter_of(launch_with({})));
}

TEST(Limiter, APeIsNamedWhereItsMessagesWereWaitedForLongest) {
  topology::Graph graph;
  for (std::uint32_t pe = 0; pe < 3; ++pe) {
    topology::Node node;
    node.sip = SipId(0);
    node.cube = CubeId(0);
    node.pe = PeId(pe);
    graph.nodes.push_back(node);
  }
  const std::deque<MessageReceive> receives{{NodeId(0), NodeId(1), 0_ns, 100_ns},
                                            {NodeId(0), NodeId(2), 100_ns, 140_ns},
                                            {NodeId(0), NodeId(2), 140_ns, 300_ns},
                                            {NodeId(0), NodeId(2), 150_ns, 300_ns},  // begun meanwhile
                                            {NodeId(1), NodeId(0), 0_ns, 900_ns}};
  const MessageWaits waits(receives, graph);
  const PeCoord first{SipId(0), CubeId(0), PeId(0)};
  const auto peer = waits.most_awaited(first, 20_ns, 200_ns);
  ASSERT_TRUE(peer);
  EXPECT_EQ(peer->sender.pe.value, 1u);
  EXPECT_EQ(peer->time, 80_ns) << "what lies in the window";
  EXPECT_EQ(waits.most_awaited(first, 20_ns, 300_ns)->time, 200_ns) << "time counts once";
  EXPECT_EQ(waits.most_awaited(first, 20_ns, 300_ns)->messages, 3u);
  EXPECT_FALSE(waits.most_awaited(first, 300_ns, 400_ns));
  contract::PeResult pe;
  pe.pe = first;
  pe.exec = 300_ns;
  std::deque<LaunchRecord> launches(1);
  launches[0].completed = 300_ns;
  launches[0].set_results({pe}, false);
  name_awaited(launches, waits);
  EXPECT_EQ(launches[0].awaited->pe.value, 2u);
}

}  // namespace
}  // namespace kb::sim
