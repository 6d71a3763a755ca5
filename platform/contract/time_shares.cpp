#include "platform/contract/time_shares.h"

#include <algorithm>
#include <numeric>

#include "platform/contract/share_words.h"

namespace kb::contract {

const DisplayText& word_of(std::size_t share) {
  if (share < engine::kMaxEngines) return engine::engine_word(static_cast<engine::EngineId>(share));
  return word_of(static_cast<TimeShare>(share - engine::kMaxEngines));
}

std::vector<std::size_t> share_indices() {
  std::vector<std::size_t> shares(engine::known_engines());
  std::iota(shares.begin(), shares.end(), 0);
  for (std::size_t share = engine::kMaxEngines; share < engine::kMaxEngines + engine::kTimeShares; ++share)
    shares.push_back(share);
  return shares;
}

TimeFs TimeShares::computing() const {
  return std::accumulate(time.begin(), time.begin() + engine::kMaxEngines, 0_fs);
}

TimeFs TimeShares::exposed_dma() const {
  return of(TimeShare::dma) + of(TimeShare::channel_busy);
}

TimeFs TimeShares::total() const {
  return std::accumulate(time.begin(), time.end(), 0_fs);
}

PeResource TimeShares::limiter() const {
  const TimeFs most = *std::max_element(busy.begin(), busy.end());
  const auto near = [&](TimeFs value) { return value >= most - most / 20; };
  const auto physical = busy.begin() + static_cast<std::ptrdiff_t>(PeResource::read_channel);
  const auto busiest = std::max_element(busy.begin(), physical);
  const auto found = near(*busiest) ? busiest : std::max_element(physical, busy.end());
  return static_cast<PeResource>(found - busy.begin());
}

TimeShares& TimeShares::operator-=(const TimeShares& other) {
  for (std::size_t i = 0; i < time.size(); ++i) time[i] -= other.time[i];
  for (std::size_t i = 0; i < busy.size(); ++i) busy[i] -= other.busy[i];
  return *this;
}

}  // namespace kb::contract
