// Waveforms of wires under random overlapping traffic on random machines: every edge is where the per-flit oracle puts
// it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "modules/kit/waves.h"
#include "sim/ports/traffic/traffic.h"
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
  // The signal has 16 bits and stays at its largest value.
  constexpr std::uint64_t kLargest = 65535;
  Changes shown;
  for (const auto& [at, value] : summed(steps)) {
    const std::uint64_t cut = std::min(value, kLargest);
    if (shown.empty() || shown.back().second != cut) shown.emplace_back(at, cut);
  }
  return shown;
}

Changes expected_busy(const std::vector<test::PlainPassage>& flits) {
  std::map<TimeFs, std::int64_t> steps;
  for (const test::PlainPassage& flit : flits) {
    ++steps[flit.start];
    --steps[flit.end];
  }
  return summed(steps);
}

// A signal that has a value for each flit and keeps it until the next, or is 0 while the wire is idle.
template <typename F>
Changes expected_of_flits(const std::vector<test::PlainPassage>& flits, bool returns_to_zero, F&& value) {
  std::map<TimeFs, std::uint64_t> values;
  for (const test::PlainPassage& flit : flits) {
    if (flit.start == flit.end) continue;
    values[flit.start] = value(flit);
    if (returns_to_zero) values[flit.end] = 0;
  }
  Changes changes;
  for (const auto& [at, v] : values) {
    if (v != (changes.empty() ? 0 : changes.back().second)) changes.emplace_back(at, v);
  }
  return changes;
}

// Has the blocks report what is final again and again, from the first event on.
void settle_often(test::LiveMachine& machine, test::Waves& waves, TimeFs& settled) {
  elab::EventScheduler& scheduler = machine.platform().scheduler();
  const auto settle = [&] {
    settled = waves.settle(scheduler.now());
    return false;
  };
  scheduler.set_poll(settle, 128);
}

class RandomWaves : public testing::TestWithParam<unsigned> {};

TEST_P(RandomWaves, BusyAndQueueOfEveryWireEqualThePerFlitOracle) {
  std::mt19937 random(3000 + GetParam());
  const topology::LoadedTopology loaded = test::random_machine(random);
  test::Waves waves;
  test::LiveMachine machine(loaded, &waves);
  for (const sim::TraceRow& row : test::random_rows(random, loaded.graph, 1500)) machine.issue_when_due(row);
  TimeFs settled = 0_fs;
  settle_often(machine, waves, settled);
  machine.run();
  EXPECT_GT(settled, 0_fs);
  machine.end();
  EXPECT_EQ(waves.belated, std::vector<std::string>());
  test::PlainUses uses;
  test::simulate_plain(loaded.graph, test::plain_requests(machine.results()), &uses);
  const test::PlainPassages& passages = uses.edges;
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

TEST_P(RandomWaves, FlitsOfEveryWireEqualThePerFlitOracle) {
  std::mt19937 random(4000 + GetParam());
  const topology::LoadedTopology loaded = test::random_machine(random);
  test::Waves waves(contract::WaveDetail::flit);
  test::LiveMachine machine(loaded, &waves);
  // Transactions are taken from the pool when they are due, so that most objects have had several identities.
  for (const sim::TraceRow& row : test::random_rows(random, loaded.graph, 1000)) machine.issue_when_due(row);
  TimeFs settled = 0_fs;
  settle_often(machine, waves, settled);
  machine.run();
  EXPECT_GT(settled, 0_fs);
  machine.end();
  EXPECT_EQ(waves.belated, std::vector<std::string>());
  const std::vector<test::PlainRequest> requests = test::plain_requests(machine.results());
  test::PlainUses uses;
  test::simulate_plain(loaded.graph, requests, &uses);
  const test::PlainPassages& passages = uses.edges;
  std::vector<std::uint64_t> ids(requests.size());
  for (std::size_t id = 0; id < ids.size(); ++id) ids[machine.rows()[id]] = id;
  const std::uint64_t flit_bytes = static_cast<std::uint64_t>(loaded.graph.spec.flit_bytes());
  for (std::size_t e = 0; e < passages.size(); ++e) {
    const topology::Edge& edge = loaded.graph.edges[e];
    const std::string wire = loaded.graph.node(edge.src).id + ".to_" + loaded.graph.node(edge.dst).id + ".";
    const std::vector<test::PlainPassage>& flits = passages[e];
    const auto is_last = [&](const test::PlainPassage& f) {
      return f.index == (requests[f.request].bytes - 1) / flit_bytes;
    };
    EXPECT_EQ(waves.shown(wire + "valid"), expected_busy(flits)) << wire;
    EXPECT_EQ(waves.shown(wire + "queue"), expected_queue(flits)) << wire;
    EXPECT_EQ(waves.shown(wire + "first"), expected_of_flits(flits, true, [](const auto& f) { return f.index == 0; }))
        << wire;
    EXPECT_EQ(waves.shown(wire + "last"), expected_of_flits(flits, true, is_last)) << wire;
    EXPECT_EQ(waves.shown(wire + "flit"), expected_of_flits(flits, false, [](const auto& f) { return f.index; }))
        << wire;
    EXPECT_EQ(waves.shown(wire + "txn"), expected_of_flits(flits, false, [&](const auto& f) { return ids[f.request]; }))
        << wire;
    EXPECT_EQ(waves.shown(wire + "op"),
              expected_of_flits(flits, false, [&](const auto& f) { return requests[f.request].write ? 1 : 0; }))
        << wire;
    EXPECT_EQ(waves.shown(wire + "leg"),
              expected_of_flits(flits, false, [](const auto& f) { return f.response ? 1 : 0; }))
        << wire;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomWaves, testing::Range(0u, unsigned{KB_SEEDS}));

}  // namespace
}  // namespace kb
