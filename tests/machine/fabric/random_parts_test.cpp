// Random overlapping transfers over random machines: every part of the time of every transfer equals what the per-flit
// oracle counts, and the parts add up to the transfer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "sim/analysis/hops/hop_trace.h"
#include "tests/machine/fabric/live_machine.h"
#include "tests/support/random_machine.h"

namespace kb {
namespace {

using sim::HopParts;

class AllHops final : public payload::IHopObserver {
 public:
  bool follows(const payload::Transaction&) override { return true; }
  void passed(const payload::Hop& hop) override { hops[hop.transaction].push_back(hop); }
  void decoded(const payload::Decoding& decoding) override { decodings[decoding.node].push_back(decoding); }
  std::map<std::uint64_t, std::vector<payload::Hop>> hops;  // by transaction
  std::map<NodeId, std::vector<payload::Decoding>> decodings;
};

class RandomParts : public testing::TestWithParam<unsigned> {
 protected:
  static constexpr int kTransfers = 500;
  RandomParts()
      : random_(5000 + GetParam()),
        loaded_(test::random_machine(random_)),
        machine_(loaded_, nullptr, nullptr, &trace_) {}

  void run();
  HopParts plain_parts(std::size_t request, const test::PlainStep& step) const;

  std::mt19937 random_;
  topology::LoadedTopology loaded_;
  AllHops trace_;
  test::LiveMachine machine_;
  test::PlainUses plain_;
};

void RandomParts::run() {
  const std::vector<sim::TraceRow> rows = test::random_rows(random_, loaded_.graph, kTransfers);
  for (const sim::TraceRow& row : rows) machine_.issue_when_due(row);
  machine_.run();
  ASSERT_EQ(machine_.answered(), rows.size());
  machine_.end();
  test::simulate_plain(loaded_.graph, test::plain_requests(machine_.results()), &plain_);
}

// Each part by itself: waits are summed over the flits that the oracle has put on the wire meanwhile.
HopParts RandomParts::plain_parts(std::size_t request, const test::PlainStep& step) const {
  HopParts parts;
  const topology::Edge& edge = loaded_.graph.edge(step.edge);
  const auto decoder = plain_.decoders.find(edge.src);
  const bool decodes = decoder != plain_.decoders.end() && !step.message;
  if (!decodes) parts.node = step.ready - step.came;
  for (std::size_t i = 0; decodes && i < decoder->second.size(); ++i) {
    const test::PlainPassage& header = decoder->second[i];
    const TimeFs begin = std::max(header.start, step.came), end = std::min(header.end, step.ready);
    if (end <= begin) continue;
    const bool own = header.request == request && header.response == step.response;
    (own ? parts.node : parts.behind_headers) += end - begin;
  }
  for (const test::PlainPassage& flit : plain_.edges[step.edge.value]) {
    const TimeFs begin = std::max(flit.start, step.ready), end = std::min(flit.end, step.start);
    if (end <= begin) continue;
    const bool own = flit.request == request && flit.response == step.response;
    (own ? parts.behind_own : parts.behind_others) += end - begin;
  }
  parts.on_wire = step.end - step.start;
  parts.distance = std::max(1_fs, TimeFs(std::llround(edge.distance_mm * loaded_.graph.spec.ns_per_mm * 1e6)));
  return parts;
}

TEST_P(RandomParts, EqualThoseOfTheOracleAndAddUpToTheTransfer) {
  run();
  TimeFs own = 0_fs, others = 0_fs;
  for (auto& [transaction, hops] : trace_.hops) {
    const std::size_t row = machine_.rows().at(transaction);
    const sim::TrafficResult& result = machine_.results()[row];
    const std::vector<test::PlainStep>& way = plain_.ways[row];
    ASSERT_EQ(hops.size(), way.size());
    std::sort(hops.begin(), hops.end(), [](const payload::Hop& a, const payload::Hop& b) {
      return std::tuple(a.leg, a.last_ready) < std::tuple(b.leg, b.last_ready);
    });
    TimeFs came = result.issue, sum = 0_fs;
    for (std::size_t i = 0; i < way.size(); ++i) {
      const HopParts parts = sim::parts_of(hops[i], came, trace_.decodings[hops[i].from]),
                     plain = plain_parts(row, way[i]);
      ASSERT_EQ(loaded_.graph.find_edge(hops[i].from, hops[i].to), way[i].edge);
      EXPECT_EQ(parts.behind_headers, plain.behind_headers);
      EXPECT_EQ(parts.node, plain.node);
      EXPECT_EQ(parts.behind_own, plain.behind_own);
      EXPECT_EQ(parts.behind_others, plain.behind_others);
      EXPECT_EQ(parts.on_wire, plain.on_wire);
      EXPECT_EQ(parts.distance, plain.distance);
      came = hops[i].arrived;
      sum += parts.sum();
      own += parts.behind_own;
      others += parts.behind_others;
    }
    EXPECT_EQ(sum, came - result.issue);
    EXPECT_EQ(came + loaded_.graph.node(result.path->front()).overhead, result.completed);
  }
  EXPECT_EQ(trace_.hops.size(), std::size_t{kTransfers});
  EXPECT_GT(own, 0_fs);
  EXPECT_GT(others, 0_fs);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomParts, testing::Range(0u, unsigned{KB_SEEDS}));

}  // namespace
}  // namespace kb
