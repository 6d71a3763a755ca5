// The channels of an HBM controller with banks, without its ports.
#pragma once

#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "modules/cube/dram/channel.h"
#include "platform/params/hbm_banked_params.h"

namespace kb::modules {

dram::ChannelConfig channel_config(const params::HbmBankedParams& params);

// Channels that are brought forward together. At time h, advance(h) decides what their command buses do up to
// h + frontend; everything that arrives up to h must have been pushed.
class BankedChannels {
 public:
  BankedChannels(const dram::ChannelConfig& config, std::size_t channels);

  std::size_t size() const { return channels_.size(); }
  dram::Channel& channel(std::size_t i) { return *channels_[i].channel; }

  void prefetch() const {
    for (const State& state : channels_) state.channel->prefetch();
  }
  // Whether a read can be issued to the channel at `at`, which does not fall between calls.
  bool has_entry(std::size_t channel, TimeFs at);
  // First time, after what has_entry() was asked for, at which an entry is free that was in use; kNever when none is
  // known.
  TimeFs next_entry(std::size_t channel) const {
    return channels_[channel].freed.empty() ? kNever : channels_[channel].freed.front();
  }
  void push(std::size_t channel, const dram::Burst& burst);
  // The return edge has taken, or will have taken, a burst's data.
  void release_response(std::size_t channel, TimeFs at) { channels_[channel].releases.push(at); }

  // Calls on_data(channel) for each channel that may have used its data buses, then on_answer(channel, answer) for what
  // is decided.
  template <typename D, typename F>
  void advance(TimeFs h, D&& on_data, F&& on_answer) {
    horizon_ = h;
    if (!channels_[0].is_idle()) channels_[0].channel->prefetch_hits();
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      if (i + 1 < channels_.size() && !channels_[i + 1].is_idle()) channels_[i + 1].channel->prefetch_hits();
      if (channels_[i].is_idle()) continue;
      bring_forward(channels_[i], h);
      on_data(i);
      for (const dram::Answer& answer : channels_[i].channel->answers()) on_answer(i, answer);
    }
  }
  // No answer that advance() has not given is ready up to this time.
  TimeFs final_until() const { return horizon_ + frontend_ + least_latency_; }
  // No access that advance() has not decided is on a data bus before this time.
  TimeFs data_until() const { return horizon_ + frontend_ + least_to_data_; }
  // The latest time at which what comes at `time` can be pushed so that no answer to it is late.
  TimeFs latest_push(TimeFs time) const { return time_sum(time, frontend_ + least_latency_); }
  // The same for advance(): it can then be called several times, one step after the other.
  TimeFs next_wake() const;
  // Also the longest step of advance() while something is queued.
  TimeFs frontend() const { return frontend_; }
  bool is_idle() const;

  template <typename D>
  void finish(TimeFs now, D&& on_data) {
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      bring_forward(channels_[i], now);
      on_data(i);
    }
  }
  dram::ChannelStatistics statistics() const;

 private:
  struct State {
    std::unique_ptr<dram::Channel> channel;
    int reads = 0;             // issued, and their entries not known to be free
    int queued = 0;            // bursts that have not left
    dram::Fifo<TimeFs> freed;  // entries of reads that are free from then on
    std::priority_queue<TimeFs, std::vector<TimeFs>, std::greater<>> releases;

    bool is_idle() const { return queued == 0; }
  };

  void bring_forward(State& state, TimeFs h);

  std::vector<State> channels_;
  int read_entries_;
  TimeFs frontend_;
  TimeFs least_latency_;  // from an edge to the earliest answer that can follow from what is decided there
  TimeFs least_to_data_;
  TimeFs horizon_ = 0_fs;
};

}  // namespace kb::modules
