// Under random overlapping traffic every edge of a random machine keeps the fabric's transport protocol.
#include <gmock/gmock.h>

#include <random>

#include "modules/fabric/protocol_checker.h"
#include "tests/machine/fabric/live_machine.h"
#include "tests/support/random_machine.h"

namespace kb::test {
namespace {

class Protocol : public testing::TestWithParam<unsigned> {};

TEST_P(Protocol, HoldsOnEveryEdge) {
  std::mt19937 random(1000 + GetParam());
  const topology::LoadedTopology topology = random_machine(random);
  const std::vector<sim::TraceRow> rows = random_rows(random, topology.graph, 400);
  LiveMachine machine(topology);
  modules::ProtocolChecker checker(machine.platform());
  for (const sim::TraceRow& row : rows) machine.issue(row);
  machine.run();
  EXPECT_EQ(machine.answered(), rows.size());
  EXPECT_THAT(checker.finish(), testing::IsEmpty());
  EXPECT_GT(checker.segments(), rows.size());
  EXPECT_EQ(machine.platform().pool().outstanding(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Protocol, testing::Range(0u, 10u));

}  // namespace
}  // namespace kb::test
