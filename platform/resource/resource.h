// A declared resource, as the block that has it uses it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "platform/base/units.h"
#include "platform/record/recorded_resource.h"
#include "platform/resource/declaration.h"
#include "platform/resource/resource_waves.h"

namespace kb::resource {

using Clock = std::function<TimeFs()>;

// One transaction's share of a use.
struct Part {
  struct Wait {
    std::size_t cause = 0;  // index in the declaration
    TimeFs time = 0_fs;
    bool inside = false;  // it waits at the beginning of its use, and not before
  };
  account::PlaceId place;  // of the transaction
  std::uint64_t bytes = 0;
  TimeFs service = 0_fs;              // of the use's time
  std::initializer_list<Wait> waits;  // one after the other, each for its own cause; empty: it did not wait
};

// A resource of one block. Sums are kept in every run; a series only when activity is recorded. Observes only, so that
// no simulated time depends on it.
class Resource {
 public:
  static constexpr TimeFs kMostLate = 10'000_ns;  // Told::late

  // Who looks at single uses; either may be empty.
  struct Viewers {
    std::unique_ptr<ResourceWaves> waves;
    std::function<void(const std::string& sentence)> log;  // its subject is the block
  };

  struct Sums {
    std::uint64_t uses = 0;  // parts of uses, where a block tells each by itself
    std::uint64_t bytes = 0;
    TimeFs busy = 0_fs;
    std::vector<TimeFs> waits;  // by cause

    TimeFs wait() const;
  };
  // Sums of one unit.
  struct UnitSums {
    TimeFs busy = 0_fs, wait = 0_fs;
  };

  // `owner` names the block in errors. `recorded`: one per unit, or none; then `clock` tells the current time.
  Resource(Declaration declaration, std::string owner, std::vector<record::RecordedResource> recorded = {},
           Clock clock = {}, Viewers viewers = {});

  // Tells that a unit is in use within [begin, end). Call it once for each use, as soon as its times can no longer
  // change, also ahead of time; the uses of a unit follow one another in time. A use with several parts serves
  // several transactions in one span. Model Error when the unit or a cause is not declared, when the use ends before it
  // begins or overlaps the one before, when a time is negative, when the parts are served for longer than the use, or
  // when it comes late and the declaration says Told::ahead.
  void use(std::uint32_t unit, TimeFs begin, TimeFs end, const Part* parts, std::size_t count);
  void use(std::uint32_t unit, TimeFs begin, TimeFs end, std::initializer_list<Part> parts) {
    use(unit, begin, end, parts.begin(), parts.size());
  }
  // A use of one transaction, which is served all the time.
  void use(std::uint32_t unit, TimeFs begin, TimeFs end, account::PlaceId place, std::uint64_t bytes,
           std::initializer_list<Part::Wait> waits = {}) {
    use(unit, begin, end, {{place, bytes, end - begin, waits}});
  }

  // The same for built-in blocks, without checks: a use that is over, or continues the one before, of `count` accesses
  // of one place that waited for one cause.
  [[gnu::always_inline]] void add(std::uint32_t unit, account::PlaceId place, const record::Usage& usage,
                                  std::uint64_t count, std::size_t cause) {
    sums_.bytes += usage.bytes;
    accumulate(sums_.busy, usage.busy);
    accumulate(units_[unit].busy, usage.busy);
    if (usage.wait != 0_fs) {  // most have none
      accumulate(sums_.waits[cause], usage.wait);
      accumulate(units_[unit].wait, usage.wait);
    }
    if (!recorded_.empty()) recorded_[unit].add(place, usage, count);
  }

  // The same for blocks that know accesses and their waits apart from uses: here `usage.wait` is only what the series
  // shows beside the use.
  void add_use(std::uint32_t unit, account::PlaceId place, const record::Usage& usage) {
    sums_.bytes += usage.bytes;
    accumulate(sums_.busy, usage.busy);
    accumulate(units_[unit].busy, usage.busy);
    if (recorded_.empty()) return;
    recorded_[unit].series->add(usage);
    recorded_[unit].account->add(place, {usage.busy, 0_fs, usage.bytes, 0});
  }
  void add_wait(std::uint32_t unit, account::PlaceId place, TimeFs wait, std::size_t cause) {
    accumulate(sums_.waits[cause], wait);
    accumulate(units_[unit].wait, wait);
    if (!recorded_.empty()) recorded_[unit].account->add(place, {0_fs, wait, 0, 0});
  }
  // An access that waited for each cause of the declaration for so long; returns the sum.
  template <std::size_t N>
  TimeFs add_access(std::uint32_t unit, account::PlaceId place, const std::array<TimeFs, N>& waits) {
    TimeFs sum = 0_fs;
    for (std::size_t cause = 0; cause < N; ++cause) {
      if (waits[cause] == 0_fs) continue;
      accumulate(sums_.waits[cause], waits[cause]);
      accumulate(sum, waits[cause]);
    }
    ++sums_.uses;
    accumulate(units_[unit].wait, sum);
    if (!recorded_.empty()) recorded_[unit].account->add(place, {0_fs, sum, 0, 1});
    return sum;
  }

  // The same block shows single uses to waveforms and log when somebody looks: the uses of a unit in the order of
  // `entry`, from where they wait for `cause` until they begin. With Told::by_block.
  bool is_shown() const { return viewers_.waves != nullptr || viewers_.log; }
  void show_in_order(std::uint32_t unit, TimeFs entry, const record::Usage& usage, std::size_t cause);
  // No later use or wait begins before `until`.
  void show_until(TimeFs until) {
    if (viewers_.waves != nullptr) viewers_.waves->show_until(until);
  }
  bool has_waves() const { return viewers_.waves != nullptr; }

  const Declaration& declaration() const { return declaration_; }
  const Sums& sums() const { return sums_; }
  const std::vector<UnitSums>& units() const { return units_; }

  // Passes all uses to series and waveforms; none follow.
  void conclude() {
    record_until(kNever);
    show_until(kNever);
  }

 private:
  static constexpr std::size_t kHeldBack = 64;  // uses of a unit, before those that are over are recorded

  void record_until(TimeFs now);
  void check(std::uint32_t unit, TimeFs begin, TimeFs end, const Part* parts, std::size_t count) const;
  void check_ahead(TimeFs begin, const Part* parts, std::size_t count) const;
  void show(std::uint32_t unit, TimeFs begin, TimeFs end, const Part* parts, std::size_t count);
  void write_log(std::uint32_t unit, const record::Usage& usage, const std::vector<Part::Wait>& waits) const;
  [[noreturn]] void refuse(const std::string& what) const;

  Declaration declaration_;
  std::string owner_;
  std::vector<record::RecordedResource> recorded_;
  Clock clock_;
  Sums sums_;
  std::vector<UnitSums> units_;
  std::vector<TimeFs> ends_;                       // by unit: end of the latest use
  std::vector<std::deque<record::Usage>> coming_;  // by unit: uses that are not in the series yet
  Viewers viewers_;
};

}  // namespace kb::resource
