// Changes of waveform signals in a span of time, by signal.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/base/units.h"
#include "platform/waves/change_store.h"

namespace kb::waves {

// What changes between two times. Each change is to another value than the signal had before.
struct Section {
  struct Step {
    std::uint64_t value;
    std::uint32_t time;  // index of `times`
  };
  struct Run {
    std::uint32_t signal;
    std::uint32_t first, count;  // of `steps`, whose times ascend
  };
  std::vector<TimeFs> times;  // ascending
  std::vector<Run> runs;      // by signal
  std::vector<Step> steps;
};

// Makes a section of the changes that a store gives away. The cost of a change is a few nanoseconds and does not grow
// with the number of signals: changes are dealt to their signals, which report in order most of the time, and only the
// distinct times are sorted, because blocks that work in step change together; slice by slice, which stays in the
// cache.
class SectionBuilder {
 public:
  // A signal that is declared later is added; its value is 0 before.
  void set_value(std::uint32_t signal, std::uint64_t value);

  void add(const Change& change) { raw_.push_back(change); }
  // The section of everything added since the last one. With `keep` the values before stay those of the signals, as
  // if the changes were still to come.
  const Section& build(bool keep);

 private:
  struct Timed {
    std::int64_t at;
    std::uint64_t value;
  };
  // Numbers times in the order in which they are met.
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
  std::vector<std::uint32_t> places_;  // per signal: where its changes begin in `dealt_`
  std::vector<Timed> dealt_;
  std::vector<std::uint64_t> values_;
  std::uint32_t steps_ = 0;  // of the section that are known
  std::vector<std::int64_t> step_times_;
  std::vector<std::uint32_t> cursors_, ends_;  // by run
  Times times_;                                // of a slice
  std::vector<Ranked> order_;
  std::vector<std::uint32_t> parts_;  // where they begin in `order_`
  std::vector<std::uint32_t> ranks_;
  Section section_;
};

}  // namespace kb::waves
