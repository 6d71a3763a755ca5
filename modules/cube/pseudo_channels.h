// The pseudo-channels of one HBM controller: choice by address or by port, and burst commit (C-HBM-4 .. C-HBM-8).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "modules/fabric/flit_run.h"
#include "platform/base/units.h"

namespace kb::modules {

enum class BurstDirection : std::uint8_t { none, read, write };

// Which pseudo-channels a run uses: all in turn, by address, or one.
inline constexpr std::uint32_t kByAddress = ~0u;

// Burst i of a run enters pseudo-channel (offset / burst_bytes + i) mod num_pcs, or the one that the run is bound to,
// at its entry time and finishes at
//   max(entry, channel free) + switch cost + burst_bytes / pc_bw.
class PseudoChannels {
 public:
  struct Params {
    std::uint32_t count = 8;        // power of two
    std::uint32_t burst_shift = 8;  // log2(burst_bytes)
    TimeFs burst = 0;               // time one burst occupies a channel
    TimeFs switch_penalty = 0;
  };

  explicit PseudoChannels(const Params& params)
      : params_(params), free_(params.count, 0), direction_(params.count, BurstDirection::none) {}

  // Commits `count` bursts starting with burst index `first` of a transaction at `offset`; burst j of the call enters
  // at max(entry + j * spacing, floor). f(j, n, finish, step): bursts j .. j+n-1 finish at finish + k * step.
  template <typename F>
  void commit(std::uint64_t offset, std::uint32_t first, std::uint32_t count, TimeFs entry, TimeFs spacing,
              TimeFs floor, BurstDirection direction, F&& f) {
    const std::uint64_t base = (offset >> params_.burst_shift) + first;
    if (flows_freely(base, count, entry, spacing, floor, direction)) {
      const std::uint32_t touched = std::min(count, params_.count);
      for (std::uint32_t j = count - touched; j < count; ++j) {
        const std::size_t pc = (base + j) & (params_.count - 1);
        free_[pc] = entry + static_cast<TimeFs>(j) * spacing + params_.burst;
        direction_[pc] = direction;
      }
      f(0u, count, entry + params_.burst, spacing);
      return;
    }
    for (std::uint32_t j = 0; j < count; ++j) {
      const std::size_t pc = (base + j) & (params_.count - 1);
      const bool turns = direction_[pc] != BurstDirection::none && direction_[pc] != direction;
      const TimeFs enter = std::max(entry + static_cast<TimeFs>(j) * spacing, floor);
      free_[pc] = std::max(enter, free_[pc]) + (turns ? params_.switch_penalty : 0) + params_.burst;
      direction_[pc] = direction;
      f(j, 1u, free_[pc], TimeFs{0});
    }
  }

  // The same for bursts that all enter pseudo-channel `pc`.
  template <typename F>
  void commit_on(std::uint32_t pc, std::uint32_t count, TimeFs entry, TimeFs spacing, TimeFs floor,
                 BurstDirection direction, F&& f) {
    const bool turns = direction_[pc] != BurstDirection::none && direction_[pc] != direction;
    direction_[pc] = direction;
    const TimeFs first = std::max({entry, floor, free_[pc]}) + (turns ? params_.switch_penalty : 0) + params_.burst;
    const TimeFs rest = static_cast<TimeFs>(count - 1);
    const bool queued = spacing <= params_.burst;  // each waits for the one before, or comes as that ends
    if (queued || (first == entry + params_.burst)) {
      const TimeFs step = queued ? params_.burst : spacing;
      free_[pc] = first + rest * step;
      f(0u, count, first, step);
      return;
    }
    free_[pc] = first;
    f(0u, 1u, first, TimeFs{0});
    for (std::uint32_t j = 1; j < count; ++j) {
      const TimeFs enter = std::max(entry + static_cast<TimeFs>(j) * spacing, floor);
      free_[pc] = std::max(enter, free_[pc]) + params_.burst;
      f(j, 1u, free_[pc], TimeFs{0});
    }
  }

  // When `count` bursts are done at the latest that find their pseudo-channels free at `idle`: each gets its share, or
  // one gets all.
  TimeFs latest_end(std::uint32_t count, bool all_on_one, TimeFs idle) const {
    const std::uint64_t share = all_on_one ? count : count / params_.count + 1;
    return time_sum(time_sum(idle, params_.switch_penalty), time_product(share, params_.burst));
  }
  TimeFs latest_free() const { return *std::max_element(free_.begin(), free_.end()); }

  // Of burst `index` of a transaction at `offset`.
  std::size_t channel_of(std::uint64_t offset, std::uint32_t index) const {
    return ((offset >> params_.burst_shift) + index) & (params_.count - 1);
  }
  TimeFs free_at(std::size_t pc) const { return free_[pc]; }
  const Params& params() const { return params_; }

 private:
  // True when no burst of the run has to wait for its channel, so that all finish one burst time after they entered.
  bool flows_freely(std::uint64_t base, std::uint32_t count, TimeFs entry, TimeFs spacing, TimeFs floor,
                    BurstDirection direction) const {
    if (floor > entry) return false;
    if (count > params_.count && spacing * static_cast<TimeFs>(params_.count) < params_.burst) return false;
    for (std::uint32_t j = 0; j < std::min(count, params_.count); ++j) {
      const std::size_t pc = (base + j) & (params_.count - 1);
      if (free_[pc] > entry + static_cast<TimeFs>(j) * spacing) return false;
      if (params_.switch_penalty > 0 && direction_[pc] != BurstDirection::none && direction_[pc] != direction)
        return false;
    }
    return true;
  }

  Params params_;
  std::vector<TimeFs> free_;
  std::vector<BurstDirection> direction_;
};

}  // namespace kb::modules
