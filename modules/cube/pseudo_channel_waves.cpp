#include "modules/cube/pseudo_channel_waves.h"

#include <algorithm>
#include <string>

namespace kb::modules {
namespace {
constexpr int kQueueBits = 16;
constexpr std::size_t kMaxShown = (std::size_t{1} << kQueueBits) - 1;
}  // namespace

PseudoChannelWaves::PseudoChannelWaves(const elab::Block& block, contract::ISignalObserver* observer,
                                       std::uint32_t channels)
    : observer_(observer) {
  if (observer_ == nullptr) return;
  bool any = false;
  for (std::uint32_t pc = 0; pc < channels; ++pc) {
    const std::string name = "pc" + std::to_string(pc);
    PseudoChannel& channel = channels_.emplace_back();
    channel.busy = observer_->declare(block.node_id(), name + ".busy", 1);
    channel.queue = observer_->declare(block.node_id(), name + ".queue", kQueueBits);
    any = any || channel.busy != contract::kNoSignal || channel.queue != contract::kNoSignal;
  }
  if (!any) channels_.clear();
}

void PseudoChannelWaves::add(std::size_t pc, TimeFs entry, TimeFs start, TimeFs finish) {
  PseudoChannel& channel = channels_[pc];
  if (start != channel.busy_until) {
    show_idle(channel);
    observer_->change(channel.busy, start, 1);
  }
  channel.busy_until = finish;
  show_starts(channel, entry);
  if (start == entry) return;
  channel.starts.push_back(start);
  observer_->change(channel.queue, entry, std::min(channel.starts.size(), kMaxShown));
}

void PseudoChannelWaves::show_until(TimeFs until) {
  for (PseudoChannel& channel : channels_) {
    if (channel.busy_until < until) show_idle(channel);
    show_starts(channel, until - 1_fs);
  }
}

void PseudoChannelWaves::finish() {
  for (PseudoChannel& channel : channels_) {
    show_idle(channel);
    show_starts(channel, kNever);
  }
}

void PseudoChannelWaves::show_idle(PseudoChannel& channel) {
  if (channel.busy_until < 0_fs) return;
  observer_->change(channel.busy, channel.busy_until, 0);
  channel.busy_until = -1_fs;
}

void PseudoChannelWaves::show_starts(PseudoChannel& channel, TimeFs until) {
  while (!channel.starts.empty() && channel.starts.front() <= until) {
    const TimeFs start = channel.starts.front();
    channel.starts.pop_front();
    observer_->change(channel.queue, start, std::min(channel.starts.size(), kMaxShown));
  }
}

}  // namespace kb::modules
