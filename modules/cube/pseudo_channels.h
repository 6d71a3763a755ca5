// The pseudo-channels of one HBM controller: selection by address or by port, and commitment of bursts (C-HBM-4 ..
// C-HBM-8).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "modules/fabric/flit_stream.h"
#include "platform/address/channel_stripe.h"
#include "platform/base/units.h"
#include "platform/record/activity.h"

namespace kb::modules {

enum class BurstDirection : std::uint8_t { none, read, write };

// Pseudo-channel of a run of bursts: interleaved by address, or a fixed one.
inline constexpr std::uint32_t kByAddress = ~0u;

// Bursts first .. first + count - 1 of a transaction at `offset`. Burst j of the run enters at max(entry + j * spacing,
// floor).
struct BurstRun {
  std::uint64_t offset = 0;
  std::uint32_t channel = kByAddress;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  TimeFs entry = 0_fs, spacing = 0_fs, floor = 0_fs;
  TimeFs last = 0_fs;  // time of the last burst, which may be partial
  BurstDirection direction = BurstDirection::none;

  TimeFs entry_of(std::uint32_t j) const { return std::max(entry + j * spacing, floor); }
};

// Groups the finish times of consecutive bursts into evenly spaced runs: f(j, n, finish, step).
class FinishTimeGrouper {
 public:
  template <typename F>
  void add(std::uint32_t j, TimeFs finish, F&& f) {
    if (count_ == 1 && finish >= finish_) {
      step_ = finish - finish_;
    } else if (count_ == 0 || finish != finish_ + count_ * step_) {
      end(f);
      first_ = j;
      finish_ = finish;
    }
    ++count_;
  }
  template <typename F>
  void end(F&& f) {
    if (count_ > 0) f(first_, count_, finish_, step_);
    count_ = 0;
    step_ = 0_fs;
  }

 private:
  std::uint32_t first_ = 0, count_ = 0;
  TimeFs finish_ = 0_fs, step_ = 0_fs;
};

// A burst enters its pseudo-channel (by address or fixed for its run) at its entry time and finishes at
//   max(entry, channel free + turnaround) + bytes / pc_bw.
// A channel that has been idle for the time of a turnaround has turned.
class PseudoChannels {
 public:
  struct Params {
    std::uint32_t count = 8;  // power of two
    std::uint64_t burst_bytes = 256;
    address::ChannelStripe stripe{256, 8};
    TimeFs burst = 0_fs;  // time that a whole burst occupies a channel
    TimeFs switch_penalty = 0_fs;
  };

  explicit PseudoChannels(const Params& params)
      : params_(params),
        shift_(static_cast<std::uint32_t>(__builtin_ctzll(params.burst_bytes))),
        free_(params.count),
        direction_(params.count, BurstDirection::none) {}

  // Enters one burst that takes `time`; returns its finish time.
  TimeFs enter(std::size_t pc, TimeFs entry, BurstDirection direction, TimeFs time) {
    const TimeFs ready = ready_for(direction, pc);
    direction_[pc] = direction;
    return free_[pc] = std::max(entry, ready) + time;
  }
  // Enters burst j of a run.
  TimeFs enter(const BurstRun& run, std::uint32_t j) {
    return enter(channel_of(run, j), run.entry_of(j), run.direction, j + 1 == run.count ? run.last : params_.burst);
  }

  // Commits a whole run. f(j, n, finish, step): bursts j .. j+n-1 finish at finish + k * step. Returns true when no
  // burst had to wait.
  template <typename F>
  bool commit(const BurstRun& run, F&& f) {
    const bool whole = run.last == params_.burst;
    if (run.channel != kByAddress && whole && commit_evenly_on_one(run, f)) return false;
    if (flows_freely(run)) {
      const std::uint64_t base = (run.offset >> shift_) + run.first;
      for (std::uint32_t j = run.count - std::min(run.count, params_.count); j < run.count; ++j) {
        const std::size_t pc = params_.stripe.channel_of_burst(base + j);
        free_[pc] = run.entry + j * run.spacing + params_.burst;
        direction_[pc] = run.direction;
      }
      if (whole) {
        f(0u, run.count, run.entry + params_.burst, run.spacing);
        return true;
      }
      if (run.count > 1) f(0u, run.count - 1, run.entry + params_.burst, run.spacing);
      const TimeFs end = run.entry_of(run.count - 1) + run.last;
      free_[channel_of(run, run.count - 1)] = end;
      f(run.count - 1, 1u, end, 0_fs);
      return true;
    }
    FinishTimeGrouper runs;
    for (std::uint32_t j = 0; j < run.count; ++j) runs.add(j, enter(run, j), f);
    runs.end(f);
    return false;
  }

  // Calls f(pseudo-channel, usage, bursts) with the share of each channel in a freely flowing run of whole bursts.
  template <typename F>
  void each_share(const BurstRun& run, F&& f) const {
    const std::uint64_t base = (run.offset >> shift_) + run.first;
    const std::uint32_t rounds = run.count / params_.count, more = run.count % params_.count;
    for (std::uint32_t j = 0; j < std::min(run.count, params_.count); ++j) {
      const std::uint32_t bursts = j < more ? rounds + 1 : rounds;
      const TimeFs begin = run.entry + j * run.spacing;
      const TimeFs end = begin + (bursts - 1) * params_.count * run.spacing + params_.burst;
      f(params_.stripe.channel_of_burst(base + j),
        record::Usage{begin, end, bursts * params_.burst, 0_fs, bursts * params_.burst_bytes, 0}, bursts);
    }
  }
  // True when no burst of the run waits for its channel, so that each whole burst finishes one burst time after its
  // entry. A hash changes the order of the channels between groups.
  bool flows_freely(const BurstRun& run) const {
    if (run.channel != kByAddress || run.floor > run.entry) return false;
    if (run.count > params_.count && (params_.stripe.is_hashed() || run.spacing * params_.count < params_.burst)) {
      return false;
    }
    const std::uint64_t base = (run.offset >> shift_) + run.first;
    if (params_.stripe.is_hashed() && base / params_.count != (base + run.count - 1) / params_.count) return false;
    for (std::uint32_t j = 0; j < std::min(run.count, params_.count); ++j) {
      const std::size_t pc = params_.stripe.channel_of_burst(base + j);
      if (ready_for(run.direction, pc) > run.entry + j * run.spacing) return false;
    }
    return true;
  }

  // Upper bound of the finish of `count` bursts when the pseudo-channels are free at `idle`, either evenly distributed
  // or all on one channel.
  TimeFs latest_end(std::uint64_t count, bool all_on_one, TimeFs idle) const {
    const std::uint64_t share = all_on_one ? count : count / params_.count + 1;
    return time_sum(time_sum(idle, params_.switch_penalty), time_product(share, params_.burst));
  }
  TimeFs latest_free() const { return *std::max_element(free_.begin(), free_.end()); }

  std::size_t channel_of(const BurstRun& run, std::uint32_t j) const {
    return channel_of(run.channel, run.offset, run.first + j);
  }
  // Channel of burst `index` of a transaction at `offset`.
  std::size_t channel_of(std::uint32_t channel, std::uint64_t offset, std::uint32_t index) const {
    return channel != kByAddress ? channel : params_.stripe.channel_of_burst((offset >> shift_) + index);
  }
  TimeFs free_at(std::size_t pc) const { return free_[pc]; }
  const Params& params() const { return params_; }

 private:
  // Earliest time at which a burst of this direction can begin.
  TimeFs ready_for(BurstDirection direction, std::size_t pc) const {
    const bool turns = direction_[pc] != BurstDirection::none && direction_[pc] != direction;
    return free_[pc] + (turns ? params_.switch_penalty : 0_fs);
  }
  // Commits whole bursts on one channel when either each waits for the previous one or none waits; otherwise returns
  // false.
  template <typename F>
  bool commit_evenly_on_one(const BurstRun& run, F&& f) {
    const std::uint32_t pc = run.channel;
    const TimeFs first = std::max({run.entry, run.floor, ready_for(run.direction, pc)}) + params_.burst;
    // each burst waits for the previous one or begins as that one ends
    const bool queued = run.spacing <= params_.burst;
    if (!queued && first != run.entry + params_.burst) return false;
    const TimeFs step = queued ? params_.burst : run.spacing;
    direction_[pc] = run.direction;
    free_[pc] = first + (run.count - 1) * step;
    f(0u, run.count, first, step);
    return true;
  }

  Params params_;
  std::uint32_t shift_;  // log2(burst_bytes)
  std::vector<TimeFs> free_;
  std::vector<BurstDirection> direction_;
};

}  // namespace kb::modules
