// Random overlapping transfers of random places over random machines: what wires, decoders, pseudo-channels, SRAMs and
// ports of TCMs did for each place equals the sums over the flits of the per-flit oracle.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "platform/record/activity_recorder.h"
#include "tests/machine/fabric/live_machine.h"
#include "tests/support/random_machine.h"

namespace kb {
namespace {

using account::PlaceId;
using record::Role;

// Busy time, waits, bytes and number of flits, by place.
using Account = std::map<std::uint32_t, std::tuple<TimeFs, TimeFs, std::uint64_t, std::uint64_t>>;

Account plain_account(const std::vector<test::PlainPassage>& passages, const std::vector<PlaceId>& places) {
  Account account;
  for (const test::PlainPassage& flit : passages) {
    auto& [busy, wait, bytes, count] = account[places[flit.request].value];
    busy += flit.end - flit.start;
    wait += flit.start - flit.ready;
    bytes += flit.bytes;
    ++count;
  }
  return account;
}

class RandomAccount : public testing::TestWithParam<unsigned> {
 protected:
  RandomAccount()
      : random_(3000 + GetParam()), loaded_(test::random_machine(random_)), machine_(loaded_, nullptr, &recorder_) {}

  void run();
  Account account_of(std::uint32_t series) const;
  std::vector<test::PlainPassage> passages_of(const record::SeriesInfo& series) const;
  void expect_statistics(const record::SeriesInfo& series, const Account& account) const;

  std::mt19937 random_;
  topology::LoadedTopology loaded_;
  record::ActivityRecorder recorder_{1000};
  test::LiveMachine machine_;
  std::vector<PlaceId> places_;  // by row
  test::PlainUses plain_;
};

// Transactions come from the pool when they are due, so that one that has ended is used again for another place.
void RandomAccount::run() {
  const std::vector<sim::TraceRow> rows = test::random_rows(random_, loaded_.graph, 500);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    places_.push_back(random_() % 5 == 0 ? PlaceId{}
                                         : recorder_.places().intern(account::Place::of_launch(1 + random_() % 4)));
  }
  machine_.set_places(places_);
  for (const sim::TraceRow& row : rows) machine_.issue_when_due(row);
  machine_.run();
  ASSERT_EQ(machine_.answered(), rows.size());
  machine_.end();
  recorder_.finish(machine_.platform().scheduler().now());
  test::simulate_plain(loaded_.graph, test::plain_requests(machine_.results()), &plain_);
}

Account RandomAccount::account_of(std::uint32_t series) const {
  Account account;
  for (const account::ResourceAccount::Row& row : recorder_.uses_of(series)) {
    const account::Sums& sums = row.sums;
    EXPECT_TRUE(account.emplace(row.place.value, std::tuple(sums.busy, sums.wait, sums.bytes, sums.count)).second);
  }
  return account;
}

std::vector<test::PlainPassage> RandomAccount::passages_of(const record::SeriesInfo& series) const {
  if (series.role == Role::wire) return plain_.edges[loaded_.graph.find_edge(series.node, series.peer)->value];
  if (series.role == Role::decoder) {
    const auto found = plain_.decoders.find(series.node);
    return found == plain_.decoders.end() ? std::vector<test::PlainPassage>() : found->second;
  }
  const bool channel = loaded_.graph.node(series.node).kind == topology::NodeKind::hbm_ctrl;
  const auto& uses = channel ? plain_.channels : plain_.memories;
  const auto found = uses.find({series.node, channel ? series.index : series.name == "dma_write" ? 1 : 0});
  return found == uses.end() ? std::vector<test::PlainPassage>() : found->second;
}

// The places of a wire add up to its statistics.
void RandomAccount::expect_statistics(const record::SeriesInfo& series, const Account& account) const {
  TimeFs busy = 0_fs;
  std::uint64_t bytes = 0, flits = 0;
  for (const auto& [place, sums] : account) {
    busy += std::get<0>(sums);
    bytes += std::get<2>(sums);
    flits += std::get<3>(sums);
  }
  std::vector<elab::Statistic> statistics;
  const_cast<test::LiveMachine&>(machine_).platform().block(series.node).collect_statistics(statistics);
  const std::string wire = "to_" + loaded_.graph.node(series.peer).id;
  std::map<std::string, std::int64_t> values{{wire + ".busy", 0}, {wire + ".bytes", 0}, {wire + ".flits", 0}};
  for (const elab::Statistic& one : statistics) values[one.name] = one.value;
  EXPECT_EQ(values[wire + ".busy"], busy.fs());
  EXPECT_EQ(values[wire + ".bytes"], static_cast<std::int64_t>(bytes));
  EXPECT_EQ(values[wire + ".flits"], static_cast<std::int64_t>(flits));
}

TEST_P(RandomAccount, EqualsTheSumsOverTheFlitsOfEachPlace) {
  run();
  std::map<Role, std::size_t> compared;
  for (std::uint32_t i = 0; i < recorder_.series().size(); ++i) {
    const record::SeriesInfo& series = recorder_.series()[i];
    const bool fetches = series.role == Role::tcm && loaded_.graph.node(series.node).kind != topology::NodeKind::pe_tcm;
    if (fetches || series.role == Role::dma || series.role == Role::engine || series.role == Role::state) continue;
    const std::string name = loaded_.graph.node(series.node).id + " " + series.label(loaded_.graph);
    const Account account = account_of(i);
    EXPECT_EQ(account, plain_account(passages_of(series), places_)) << name;
    if (series.role == Role::wire) expect_statistics(series, account);
    compared[series.role] += account.size() > 2 ? 1 : 0;
  }
  EXPECT_GT(compared[Role::wire], 2u);
  EXPECT_GT(compared[Role::memory], 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomAccount, testing::Range(0u, unsigned{KB_SEEDS}));

}  // namespace
}  // namespace kb
