#include "sim/analysis/findings/message_waits.h"

#include <gtest/gtest.h>

namespace kb::sim {
namespace {

topology::Graph four_pes() {
  topology::Graph graph;
  for (std::uint32_t pe = 0; pe < 4; ++pe) {
    topology::Node node;
    node.sip = SipId(0);
    node.cube = CubeId(0);
    node.pe = PeId(pe);
    graph.nodes.push_back(node);
  }
  return graph;
}

PeCoord pe(std::uint32_t index) {
  return {SipId(0), CubeId(0), PeId(index)};
}

std::vector<std::uint32_t> senders(const std::vector<const MessageReceive*>& chain) {
  std::vector<std::uint32_t> found;
  for (const MessageReceive* one : chain) found.push_back(one->sender.value);
  return found;
}

TEST(MessageWaits, AChainGoesBackFromTheLastWait) {
  const topology::Graph graph = four_pes();
  //                                        to         from       start  end     sent   arrived
  const std::deque<MessageReceive> receives{{NodeId(2), NodeId(3), 0_ns, 30_ns, 10_ns, 25_ns},
                                            {NodeId(1), NodeId(2), 0_ns, 60_ns, 40_ns, 55_ns},
                                            {NodeId(2), NodeId(0), 50_ns, 70_ns, 45_ns, 65_ns},  // after its send
                                            {NodeId(0), NodeId(1), 0_ns, 90_ns, 60_ns, 85_ns},
                                            {NodeId(0), NodeId(3), 90_ns, 95_ns, 20_ns, 35_ns}};  // was there
  const MessageWaits waits(receives, graph);
  EXPECT_EQ(senders(waits.chain(pe(0), 0_ns, 100_ns)), (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(senders(waits.chain(pe(0), 30_ns, 100_ns)), (std::vector<std::uint32_t>{1, 2})) << "before the launch";
  EXPECT_EQ(senders(waits.chain(pe(0), 0_ns, 89_ns)), (std::vector<std::uint32_t>{})) << "received later";
  EXPECT_EQ(senders(waits.chain(pe(3), 0_ns, 100_ns)), (std::vector<std::uint32_t>{}));
}

// Two that send to each other at once: times fall, so that the walk ends.
TEST(MessageWaits, AChainEnds) {
  const topology::Graph graph = four_pes();
  const std::deque<MessageReceive> receives{{NodeId(0), NodeId(1), 0_ns, 20_ns, 20_ns, 20_ns},
                                            {NodeId(1), NodeId(0), 0_ns, 20_ns, 20_ns, 20_ns}};
  EXPECT_EQ(senders(MessageWaits(receives, graph).chain(pe(0), 0_ns, 50_ns)), (std::vector<std::uint32_t>{1}));
}

}  // namespace
}  // namespace kb::sim
