// When the banks of a channel are due for refresh (C-DRAM-0, C-DRAM-9).
#pragma once

#include <cstdint>

#include "modules/cube/dram/bank_state.h"
#include "platform/dram/policies.h"
#include "platform/dram/standards.h"

namespace kb::dram {

// Refresh k = 1, 2, ... is due at tick floor(k * tREFI / units) and belongs to unit (k - 1) mod units. A unit is a
// bank, or with all_bank the banks of a pseudo-channel.
class RefreshSchedule {
 public:
  RefreshSchedule(const Standard& standard, RefreshMode mode, int postpone)
      : mode_(mode),
        units_(mode == RefreshMode::all_bank ? kPcs : standard.geometry.banks_of_channel()),
        refi_(standard.timing.refi),
        limit_(static_cast<std::int64_t>(postpone) * units_) {
    if (mode_ != RefreshMode::none) next_due_ = due(1);
  }

  RefreshMode mode() const { return mode_; }
  // Edge at which the next refresh becomes due.
  Half next_due() const { return next_due_; }
  void pass(Half edge) {
    while (next_due_ <= edge) next_due_ = due(++due_ + 1);
  }
  // Refreshes that are due and not done; they may be postponed while there is work.
  std::int64_t open() const { return due_ - done_; }
  bool has_to(bool work) const { return open() > (work ? limit_ : 0); }
  int unit() const { return unit_; }
  bool is_on_time(Half edge) const { return edge == due(done_ + 1); }
  void finish() {
    ++done_;
    if (++unit_ == units_) unit_ = 0;
  }

  int units() const { return units_; }
  Half round() const { return 2 * static_cast<Half>(refi_); }  // every unit once
  void skip_rounds(std::int64_t rounds) {
    due_ += rounds * units_;
    done_ += rounds * units_;
    next_due_ += rounds * round();
  }

 private:
  Half due(std::int64_t k) const { return 2 * (k * refi_ / units_); }

  RefreshMode mode_;
  int units_;
  std::int64_t refi_;
  std::int64_t limit_;
  std::int64_t due_ = 0, done_ = 0;
  Half next_due_ = kNoEdge;
  int unit_ = 0;
};

}  // namespace kb::dram
