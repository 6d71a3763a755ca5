// Random overlapping reads and writes of PEs and hosts over random machines: every time equals the per-flit oracle's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>

#include "examples/blocks/plain_router.h"
#include "platform/topology/topology.h"
#include "sim/ports/traffic/traffic.h"
#include "tests/machine/fabric/live_machine.h"
#include "tests/support/plain_fabric.h"
#include "tests/support/random_machine.h"

namespace kb {
namespace {

void expect_oracle_times(const topology::Graph& graph, const std::vector<sim::TrafficResult>& results) {
  const std::vector<test::PlainRequest> requests = test::plain_requests(results);
  const std::vector<test::PlainTimes> expected = test::simulate_plain(graph, requests);
  int shown = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const test::PlainTimes actual{results[i].delivered, results[i].completed};
    if (actual == expected[i]) continue;
    const sim::TraceRow& row = results[i].row;
    ADD_FAILURE() << "row " << i << " " << sim::trace_op_name(row.op) << " " << row.bytes << " B issued "
                  << format_ns(row.issue) << ": delivered " << format_ns(actual.delivered) << " expected "
                  << format_ns(expected[i].delivered) << ", completed " << format_ns(actual.completed) << " expected "
                  << format_ns(expected[i].completed);
    if (++shown == 10) break;
  }
}

class RandomTraffic : public testing::TestWithParam<unsigned> {};

TEST_P(RandomTraffic, TimesEqualThePerFlitOracle) {
  std::mt19937 random(GetParam());
  const topology::LoadedTopology machine = test::random_machine(random);
  const std::vector<sim::TraceRow> rows = test::random_rows(random, machine.graph, 1500);
  expect_oracle_times(machine.graph, sim::run_traffic(machine, rows));
}

// A kernel's traffic takes its transactions from the pool when it needs them, so that the pool hands out again what
// has just ended.
TEST_P(RandomTraffic, TimesEqualThePerFlitOracleWhenTransactionsAreReused) {
  std::mt19937 random(1000 + GetParam());
  const topology::LoadedTopology loaded = test::random_machine(random);
  const std::vector<sim::TraceRow> rows = test::random_rows(random, loaded.graph, 1500);
  test::LiveMachine machine(loaded);
  for (const sim::TraceRow& row : rows) machine.issue_when_due(row);
  machine.run();
  ASSERT_EQ(machine.answered(), rows.size());
  expect_oracle_times(loaded.graph, machine.results());
}

// A block on the simple base class that has the rules of the built-in one has its times.
TEST_P(RandomTraffic, ForeignRoutersHaveTheTimesOfTheBuiltInOnes) {
  std::mt19937 random(2000 + GetParam());
  topology::LoadedTopology machine = test::random_machine(random);
  for (topology::Node& node : machine.graph.nodes) {
    if (node.params.table()->type() != typeid(params::ForwardingParams)) continue;
    if (node.params.as<params::ForwardingParams>().decode == params::Decode::pipelined)
      node.impl = "custom.plain_router";
  }
  elab::BlockCatalog blocks;
  blocks.add_block({topology::NodeKind::noc_router, "custom.plain_router", params::no_fields(),
                    elab::make_factory<example::PlainRouter, params::ForwardingParams>()});
  sim::TrafficOptions options;
  options.blocks = &blocks;
  const std::vector<sim::TraceRow> rows = test::random_rows(random, machine.graph, 1500);
  expect_oracle_times(machine.graph, sim::run_traffic(machine, rows, options));
}

// The long run has seeds of its own (random_traffic_long.sh).
unsigned seed(const char* variable, unsigned fallback) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? fallback : static_cast<unsigned>(std::stoul(text));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTraffic, testing::Range(seed("KB_FIRST_SEED", 0), seed("KB_END_SEED", KB_SEEDS)));

}  // namespace
}  // namespace kb
