// Changes of waveform signals in a time span, grouped by signal.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/base/units.h"
#include "platform/waves/change_store.h"

namespace kb::waves {

// Changes between two times. Each change sets a value that differs from the previous one.
struct Section {
  struct Step {
    std::uint64_t value;
    std::uint32_t time;  // index into `times`
  };
  struct Run {
    std::uint32_t signal;
    std::uint32_t first, count;  // range in `steps`, with ascending times
  };
  std::vector<TimeFs> times;  // ascending
  std::vector<Run> runs;      // in the order of signals
  std::vector<Step> steps;
};

// Builds sections from the changes of a store. A change costs a few nanoseconds, independent of the number of signals:
// changes are distributed to their signals, which mostly report in order, and only the distinct times are sorted,
// because synchronous blocks change together. The work is done in slices that fit the cache.
class SectionBuilder {
 public:
  // Sets the value before the section; a signal that is declared later starts at 0.
  void set_value(std::uint32_t signal, std::uint64_t value);

  void add(const Change& change) { raw_.push_back(change); }
  // Builds the section of all changes since the last one. With `keep`, the values before the section stay the current
  // ones, so that its changes can be built again.
  const Section& build(bool keep);

 private:
  struct Timed {
    std::int64_t at;
    std::uint64_t value;
  };
  // Numbers times in the order of first use.
  class Times {
   public:
    void clear();
    std::uint32_t number(std::int64_t at);
    const std::vector<std::int64_t>& all() const { return all_; }

   private:
    void grow();
    std::size_t place_of(std::int64_t at) const {
      constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
      return static_cast<std::size_t>((static_cast<std::uint64_t>(at) * kGolden) >> shift_);
    }

    std::vector<std::uint32_t> table_;  // 1 + a number; 0: free
    std::vector<std::int64_t> all_;
    int shift_ = 64;
  };
  struct Ranked {
    static bool earlier(const Ranked& a, const Ranked& b) { return a.at < b.at; }

    std::int64_t at;
    std::uint32_t number;
  };

  void deal();
  void add_run(std::uint32_t signal, Timed* begin, Timed* end, bool keep);
  void number_times();
  void number_slice(std::int64_t from, std::int64_t length);
  void rank_times(std::int64_t from, std::int64_t length);

  std::vector<Change> raw_;
  std::vector<std::uint32_t> places_;  // per signal: start of its changes in `dealt_`
  std::vector<Timed> dealt_;
  std::vector<std::uint64_t> values_;
  std::uint32_t steps_ = 0;  // number of known steps of the section
  std::vector<std::int64_t> step_times_;
  std::vector<std::uint32_t> cursors_, ends_;  // indexed by run
  Times times_;                                // times of a slice
  std::vector<Ranked> order_;
  std::vector<std::uint32_t> parts_;  // start positions in `order_`
  std::vector<std::uint32_t> ranks_;
  Section section_;
};

}  // namespace kb::waves
