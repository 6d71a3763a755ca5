// The account of a wire, against a loop over its flits.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "platform/record/usage_log.h"
#include "tests/unit/fabric/plain_wire.h"

namespace kb::modules {
namespace {

// Busy time, waits, bytes and number of flits, by place.
using Account = std::map<std::uint32_t, std::tuple<TimeFs, TimeFs, std::uint64_t, std::uint64_t>>;

// A wire with an account.
class AccountedWire {
 public:
  explicit AccountedWire(double bw_gbs) : wire(bw_gbs) { wire.tested.record_in({&series_, &account_}); }

  CheckedWire wire;

  Account expected() const {
    Account all;
    for (const PlainFlit& flit : wire.flits) {
      auto& [busy, wait, bytes, count] = all[flit.place.value];
      busy += flit.occupancy;
      wait += flit.start - flit.ready;
      bytes += flit.bytes;
      ++count;
    }
    return all;
  }
  Account told() {
    wire.tested.retire(kNever);
    account_.finish();
    Account all;
    for (const account::ResourceAccount::Row& row : account_.rows()) {
      all[row.place.value] = {row.sums.busy, row.sums.wait, row.sums.bytes, row.sums.count};
    }
    return all;
  }

 private:
  record::UsageLog log_;
  record::SeriesGroup group_{log_, record::EpochList(512), {}};
  record::ActivitySeries series_{group_};
  account::ResourceAccount account_;
};

double limited_bandwidth() {
  return *rc::gen::element(256.0, 128.0, 100.0, 300.0);
}

RC_GTEST_PROP(WireAccount, EachPlaceHasWhatItsFlitsTookAndWaited, ()) {
  AccountedWire accounted(limited_bandwidth());
  RunSource source;
  commit_some(accounted.wire, source, pick_count(1, 12));
  RC_ASSERT(accounted.told() == accounted.expected());
}

// What is rolled back is not told; what remains of a batch has other waits; what is past is told before.
RC_GTEST_PROP(WireAccount, CutsLeaveTheAccountOfWhatRemains, ()) {
  AccountedWire accounted(limited_bandwidth());
  CheckedWire& wire = accounted.wire;
  RunSource source;
  TimeFs past = 0_fs;
  for (std::uint32_t round = pick_count(1, 6); round > 0; --round) {
    commit_some(wire, source, pick_count(1, 5));
    const auto last = static_cast<std::int64_t>(wire.flits.size()) - 1;
    ArrivalKey limit = wire.flits[static_cast<std::size_t>(pick(0, last))].key;
    limit.port = static_cast<std::uint32_t>(pick(0, 2));
    limit.time = std::max(limit.time, past);
    past = limit.time;
    wire.tested.retire(past);
    wire.cut(limit);
    ArrivalQueue again;
    for (const FlitStream& run : wire.rolled_back) again.put_back(run);
    const TimeFs floor = std::max(source.floor(), pick(0, 1) * (past + pick(0_fs, 3_ns)));
    while (!again.empty()) {
      StreamBuffer batch;
      const std::size_t count = again.take_batch({kNever, 0, 0, 0}, batch);
      wire.commit(std::vector<FlitStream>(batch.streams, batch.streams + count), floor);
    }
  }
  RC_ASSERT(accounted.told() == accounted.expected());
}

// Two streams that alternate: A0 B0 A1 B1. B is cut behind its first flit, so that the other one of A no longer waits.
TEST(WireAccount, ACutChangesTheWaitsOfTheOtherStream) {
  AccountedWire accounted(256.0);  // 1 ns for a flit
  FlitStream a = make_run(0_fs, 1_ns, 0, 0, 2), b = make_run(500'000_fs, 1_ns, 1, 2, 2);
  a.place = account::PlaceId{1};
  b.place = account::PlaceId{2};
  accounted.wire.commit({a, b}, 0_fs);
  accounted.wire.cut({1'200'000_fs, 0, 0, 0});  // A1 is ready at 1 ns and starts behind B0, at 2 ns; B1 at 3 ns
  EXPECT_EQ(accounted.told(), (Account{{1, {2_ns, 1_ns, 512, 2}}, {2, {1_ns, 500'000_fs, 256, 1}}}));
}

// When the account gets flits, their transaction may have been reused for another place.
TEST(WireAccount, AReusedTransactionDoesNotChangeWhoseFlitsTheyWere) {
  payload::FabricRoute route;
  payload::TransactionPool pool(256);
  payload::Transaction& transaction = pool.acquire(payload::Op::write, route, 0, 1024);
  transaction.place = account::PlaceId{1};
  AccountedWire accounted(256.0);
  FlitStream run = make_run(0_fs, 0_fs, 0, 0, 4);
  run.transaction = &transaction;
  run.place = transaction.place;
  accounted.wire.commit(run, 0_fs);
  pool.release(transaction);
  payload::Transaction& again = pool.acquire(payload::Op::read, route, 0, 256);
  ASSERT_EQ(&again, &transaction);
  EXPECT_EQ(again.place, account::PlaceId{}) << "a place is not inherited from an earlier use";
  again.place = account::PlaceId{2};
  EXPECT_EQ(accounted.told(), (Account{{1, {4_ns, 6_ns, 1024, 4}}}));
}

}  // namespace
}  // namespace kb::modules
