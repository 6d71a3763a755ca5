#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "platform/base/units.h"
#include "platform/contract/time_shares.h"
#include "platform/engine/engine_id.h"
#include "platform/record/recorded_resource.h"

namespace kb::modules {

// Records what a PE is busy with. Blocks report when an activity begins and ends; engine::TimeShare defines how each
// moment is attributed. It only observes, so that no simulated time depends on it.
class PeActivity {
 public:
  enum class Kind : std::uint8_t { queue_full, fetch, store, waiting, reading, writing, scalar };
  static constexpr std::size_t kKinds = static_cast<std::size_t>(Kind::scalar) + 1;  // the last enumerator

  PeActivity();
  ~PeActivity();
  PeActivity(const PeActivity&) = delete;
  PeActivity& operator=(const PeActivity&) = delete;

  // Number of PE_DMA's channels, to compute the busy time per channel.
  void set_channels(std::int64_t readers, std::int64_t writers) {
    readers_ = readers;
    writers_ = writers;
  }

  void begin(Kind kind, TimeFs now) {
    accrue(now);
    ++counts_[index(kind)];
  }
  void end(Kind kind, TimeFs now) {
    accrue(now);
    --counts_[index(kind)];
  }
  // The engine's time is for `place`.
  void begin(engine::EngineId engine, TimeFs now, account::PlaceId place = {}) {
    accrue(now);
    places_[engine::index_of(engine)] = place;
    ++computing_[engine::index_of(engine)];
    ++commands_;
  }
  void end(engine::EngineId engine, TimeFs now) {
    accrue(now);
    --computing_[engine::index_of(engine)];
    --commands_;
  }
  void translating_until(TimeFs end) { translated_ = std::max(translated_, end); }
  void moved(contract::PeResource resource, TimeFs occupancy);
  // A FETCH or STORE (`kind`) that began at `begin` has ended and moved `bytes`.
  void accessed_tcm(Kind kind, account::PlaceId place, std::uint64_t bytes, TimeFs begin, TimeFs end) const {
    const record::RecordedResource& port = kind == Kind::fetch ? series_.fetch : series_.store;
    if (port && end > begin) port.add(place, {begin, end, end - begin, 0_fs, bytes});
  }
  // A command has used a channel of PE_DMA (`kind`: reading, writing), after it waited for a free one.
  void held_channel(Kind kind, account::PlaceId place, const account::Sums& use) const {
    const record::RecordedResource& channel = kind == Kind::reading ? series_.read_channel : series_.write_channel;
    if (channel) channel.account->add(place, use);
  }

  // Where the time shares (while a kernel runs) and the busy times of resources (always) are recorded.
  struct Series {
    // Indexed by share_index(); null: the machine has no such share. Empty: not recorded.
    std::vector<record::ActivitySeries*> shares;
    record::RecordedResource compute;
    record::RecordedResource read_channel, write_channel;
    record::RecordedResource fetch, store;
  };
  void record_in(Series series) { series_ = std::move(series); }
  void set_running(bool running, TimeFs now) {
    accrue(now);
    running_ = running;
  }

  // Shares from the start of the run until `now`.
  contract::TimeShares until(TimeFs now);
  const std::array<TimeFs, contract::kShares>& times(TimeFs now);

 private:
  static constexpr std::size_t index(Kind kind) { return static_cast<std::size_t>(kind); }
  std::int64_t count(Kind kind) const { return counts_[index(kind)]; }
  // Index of the first engine that computes; kMaxEngines: none does.
  std::size_t computing() const {
    if (commands_ == 0) return engine::kMaxEngines;
    std::size_t engine = 0;
    while (computing_[engine] == 0) ++engine;
    return engine;
  }
  contract::TimeShare idle_share(bool moving) const;
  void accrue(TimeFs now);

  Series series_;
  bool running_ = false;  // a kernel is running
  TimeFs since_ = 0_fs;
  TimeFs translated_ = 0_fs;  // latest end of an address translation
  std::int64_t readers_ = 1, writers_ = 1;
  std::array<std::int64_t, kKinds> counts_{};
  std::array<std::uint8_t, engine::kMaxEngines> computing_{};   // commands, by engine
  std::array<account::PlaceId, engine::kMaxEngines> places_{};  // of the latest command, by engine
  int commands_ = 0;                                            // of all engines
  std::unique_ptr<contract::TimeShares> shares_;
};

}  // namespace kb::modules
