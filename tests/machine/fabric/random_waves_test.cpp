// Waveforms of wires under random overlapping traffic on random machines: every edge is where the per-flit oracle puts
// it.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "modules/kit/waves.h"
#include "sim/traffic/traffic.h"
#include "tests/machine/fabric/live_machine.h"
#include "tests/support/plain_fabric.h"
#include "tests/support/random_machine.h"

namespace kb {
namespace {

using Changes = std::vector<test::Waves::Change>;

// A signal that grows and falls by steps, as a waveform shows it.
Changes summed(const std::map<TimeFs, std::int64_t>& steps) {
  Changes changes;
  std::int64_t value = 0;
  for (const auto& [at, step] : steps) {
    value += step;
    if (step != 0) changes.emplace_back(at, static_cast<std::uint64_t>(value));
  }
  return changes;
}

Changes expected_queue(const std::vector<test::PlainPassage>& flits) {
  std::map<TimeFs, std::int64_t> steps;
  for (const test::PlainPassage& flit : flits) {
    if (flit.start == flit.end) continue;
    ++steps[flit.ready];
    --steps[flit.start];
  }
  return summed(steps);
}

Changes expected_busy(const std::vector<test::PlainPassage>& flits) {
  std::map<TimeFs, std::int64_t> steps;
  for (const test::PlainPassage& flit : flits) {
    ++steps[flit.start];
    --steps[flit.end];
  }
  return summed(steps);
}

class RandomWaves : public testing::TestWithParam<unsigned> {};

TEST_P(RandomWaves, BusyAndQueueOfEveryWireEqualThePerFlitOracle) {
  std::mt19937 random(3000 + GetParam());
  const topology::LoadedTopology loaded = test::random_machine(random);
  test::Waves waves;
  test::LiveMachine machine(loaded, &waves);
  for (const sim::TraceRow& row : test::random_rows(random, loaded.graph, 1500)) machine.issue_when_due(row);
  machine.run();
  machine.end();
  test::PlainPassages passages;
  test::simulate_plain(loaded.graph, test::plain_requests(machine.results()), &passages);
  int waited = 0;
  for (std::size_t e = 0; e < passages.size(); ++e) {
    const topology::Edge& edge = loaded.graph.edges[e];
    const topology::Node& source = loaded.graph.node(edge.src);
    const std::string wire = source.id + ".to_" + loaded.graph.node(edge.dst).id;
    EXPECT_EQ(waves.shown(wire + ".busy"), expected_busy(passages[e])) << wire;
    const Changes queue = expected_queue(passages[e]);
    EXPECT_EQ(waves.shown(wire + ".queue"), queue) << wire;
    waited += queue.empty() ? 0 : 1;
  }
  EXPECT_GT(waited, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomWaves, testing::Range(0u, 6u));

}  // namespace
}  // namespace kb
