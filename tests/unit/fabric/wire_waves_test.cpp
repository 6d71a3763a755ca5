// What statistics and waveforms say of a wire, against a loop over its flits.
#include <gtest/gtest.h>

#include "platform/record/usage_log.h"
#include "tests/unit/fabric/plain_wire.h"

namespace kb::modules {
namespace {

RC_GTEST_PROP(Wire, StatisticsCountWhatWasCarriedAndTheLongestWait, ()) {
  CheckedWire wire(any_bandwidth());
  record::UsageLog log;
  record::SeriesGroup group{log, record::EpochList(512), {}};
  record::ActivitySeries recorded(group);
  account::ResourceAccount account;
  if (wire.tested.params().occupancy > 0_fs) wire.tested.record_in({&recorded, &account});
  RunSource source;
  commit_some(wire, source, pick_count(1, 8));
  if (pick(0, 1) == 1) {  // what is rolled back is not counted
    wire.cut(wire.flits[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(wire.flits.size()) - 1))].key);
  }
  wire.tested.retire(kNever);
  TimeFs busy = 0_fs, wait = 0_fs, all_waits = 0_fs;
  std::uint64_t bytes = 0;
  for (const PlainFlit& f : wire.flits) {
    all_waits += f.start - f.ready;
    busy += f.occupancy;
    bytes += f.bytes;
    wait = std::max(wait, f.start - f.ready);
  }
  const Wire::Statistics& s = wire.tested.statistics();
  RC_ASSERT(s.flits == wire.flits.size());
  RC_ASSERT(s.bytes == bytes);
  RC_ASSERT(s.busy == busy);
  RC_ASSERT(s.longest_wait == wait);
  RC_ASSERT(s.messages == 0u);
  if (wire.tested.params().occupancy == 0_fs) return;
  record::Bin sum;
  log.finish();
  for (const std::vector<record::Activity>& epoch : group.activities) {
    for (const record::Activity& part : epoch)
      part.bins.for_each([&](std::uint32_t, const record::Bin& bin) { sum.add(bin); });
  }
  RC_ASSERT(sum.busy == busy);
  RC_ASSERT(sum.bytes == bytes);
  RC_ASSERT(sum.wait == all_waits);
}

// Keeps the last value of each signal at each time.
class Waveform final : public contract::ISignalObserver {
 public:
  using ISignalObserver::declare;
  contract::SignalId declare(const contract::SignalInfo& info) override {
    names_.push_back(info.full_name());
    return static_cast<contract::SignalId>(names_.size() - 1);
  }
  void change(contract::SignalId signal, TimeFs at, std::uint64_t value) override {
    values_[names_[signal]][at] = value;
  }

  const std::map<TimeFs, std::uint64_t>& changes(const std::string& name) { return values_[name]; }
  std::uint64_t value(const std::string& name, TimeFs at) {
    const auto next = values_[name].upper_bound(at);
    return next == values_[name].begin() ? 0 : std::prev(next)->second;
  }

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::map<TimeFs, std::uint64_t>> values_;
};

// What is committed after everything was retired may have been ready before.
RC_GTEST_PROP(Wire, WaveformsShowTheFlitsThatAreOnTheWireAndThoseThatWait, ()) {
  CheckedWire wire(*rc::gen::element(256.0, 128.0, 100.0));
  Waveform waveform;
  wire.tested.observe(waveform, "node", "to_peer");
  RunSource source;
  for (int round = 0; round < 2; ++round) {
    commit_some(wire, source, pick_count(1, 6));
    wire.tested.retire(wire.flits[wire.flits.size() / 2].end);
    wire.tested.retire(wire.tested.available() + 1_fs);
  }
  wire.tested.retire(kNever);
  const std::string busy = "node.to_peer.busy", queue = "node.to_peer.queue";
  for (const auto& [at, value] : waveform.changes(queue)) {
    std::uint64_t waiting = 0;
    for (const PlainFlit& f : wire.flits) waiting += f.ready <= at && at < f.start ? 1 : 0;
    RC_ASSERT(value == waiting);
  }
  for (std::size_t i = 0; i < wire.flits.size(); ++i) {
    const PlainFlit& f = wire.flits[i];
    RC_ASSERT((f.start == f.ready || waveform.changes(queue).count(f.ready) == 1));
    RC_ASSERT((f.start == f.ready || waveform.changes(queue).count(f.start) == 1));
    const bool followed = i + 1 < wire.flits.size() && wire.flits[i + 1].start == f.end;
    RC_ASSERT(waveform.value(busy, f.start) == 1u);
    RC_ASSERT(waveform.value(busy, f.end - 1_fs) == 1u);
    RC_ASSERT(waveform.value(busy, f.end) == (followed ? 1u : 0u));
  }
}

TEST(Wire, DeepestQueueLeavesOutTheFlitInTransfer) {
  CheckedWire wire(256.0);
  wire.commit(make_run(0_fs, 0_fs, 0, 0, 10), 0_fs);
  wire.tested.retire(kNever);
  EXPECT_EQ(wire.tested.deepest_queue(), 9u);
  EXPECT_EQ(wire.tested.statistics().longest_wait, 9_ns);
}

}  // namespace
}  // namespace kb::modules
