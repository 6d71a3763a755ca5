#include "modules/cube/banked_channels.h"

#include <algorithm>

namespace kb::modules {

dram::ChannelConfig channel_config(const params::HbmBankedParams& params) {
  dram::ChannelConfig config;
  config.standard = params.standard();
  config.map = params.map_text();
  config.hash = params.hash;
  config.pages = params.pages;
  config.timeout_ticks = static_cast<int>(params.timeout_ticks);
  config.refresh = params.refresh;
  config.postpone = static_cast<int>(params.postpone);
  config.drain = params.drain;
  config.read_entries = static_cast<int>(params.read_entries);
  config.write_entries = static_cast<int>(params.write_entries);
  config.high = static_cast<int>(params.high);
  config.low = static_cast<int>(params.low);
  config.frontend = params.frontend.time();
  config.backend = params.backend.time();
  config.response_entries = static_cast<int>(params.response_entries);
  config.row_hit_cap = static_cast<int>(params.row_hit_cap);
  config.write_ack = params.write_ack;
  return config;
}

namespace {

TimeFs least_latency(const dram::ChannelConfig& config) {
  if (config.write_ack == dram::WriteAck::accepted) return 0_fs;
  const dram::Timing& t = config.standard.timing;
  const TimeFs tck = config.standard.tck;
  return std::min({(t.cl + t.bl) * tck + config.backend, config.frontend + config.backend, (t.cwl + t.bl) * tck});
}

}  // namespace

BankedChannels::BankedChannels(const dram::ChannelConfig& config, std::size_t channels)
    : channels_(channels),
      read_entries_(config.read_entries),
      frontend_(config.frontend),
      least_latency_(least_latency(config)),
      least_to_data_(std::min(config.standard.timing.cl, config.standard.timing.cwl) * config.standard.tck) {
  const dram::Channel first(config);
  for (State& state : channels_) state.channel = std::make_unique<dram::Channel>(first);
}

bool BankedChannels::has_entry(std::size_t channel, TimeFs at) {
  State& state = channels_[channel];
  for (; !state.freed.empty() && state.freed.front() <= at; state.freed.pop_front()) --state.reads;
  return state.reads < read_entries_;
}

void BankedChannels::push(std::size_t channel, const dram::Burst& burst) {
  State& state = channels_[channel];
  if (state.is_idle()) bring_forward(state, burst.arrival - 1_fs);
  state.channel->push(burst);
  ++state.queued;
  if (burst.direction == dram::kRead) ++state.reads;
}

void BankedChannels::bring_forward(State& state, TimeFs h) {
  if (h < 0_fs) return;
  for (; !state.releases.empty() && state.releases.top() <= h; state.releases.pop()) {
    state.channel->release_response(state.releases.top());
  }
  state.channel->advance(h);
  for (const dram::FreedEntry& freed : state.channel->freed()) {
    --state.queued;
    if (freed.direction == dram::kRead) state.freed.push_back(freed.time);
  }
}

TimeFs BankedChannels::next_wake() const {
  TimeFs wake = kNever;
  for (const State& state : channels_) {
    if (state.is_idle()) continue;
    wake = std::min(wake, state.channel->next_wake());
    if (!state.releases.empty()) wake = std::min(wake, time_sum(state.releases.top(), frontend_));
  }
  return wake == kNever ? kNever : time_sum(wake, least_latency_);
}

bool BankedChannels::is_idle() const {
  return std::all_of(channels_.begin(), channels_.end(), [](const State& state) { return state.is_idle(); });
}

dram::ChannelStatistics BankedChannels::statistics() const {
  dram::ChannelStatistics sum;
  for (const State& state : channels_) {
    const dram::ChannelStatistics& one = state.channel->statistics();
    sum.row_hits += one.row_hits;
    sum.row_misses += one.row_misses;
    sum.row_conflicts += one.row_conflicts;
    sum.acts += one.acts;
    sum.refreshes += one.refreshes;
    sum.turnarounds += one.turnarounds;
  }
  return sum;
}

}  // namespace kb::modules
