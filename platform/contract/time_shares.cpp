#include "platform/contract/time_shares.h"

#include <algorithm>
#include <numeric>

namespace kb::contract {

const DisplayText& word_of(TimeShare share) {
  static constexpr std::array<DisplayText, kTimeShares> kWords{{
      {"queue_full", "queue full", "Nothing computes: a result finds no room in the next block (queue_depth).",
       "waited for room in the next block", "#b5493b"},
      {"tlb", "translation", "Nothing computes: an access waits for its address translation.",
       "waited for address translation", "#9a8a2a"},
      {"channel_busy", "DMA channel busy", "Nothing computes: transfers wait for a DMA channel.",
       "waited for a DMA channel", "#1f5f9a"},
      {"tcm", "TCM", "Nothing computes: FETCH or STORE moves data between TCM and registers.",
       "waited for FETCH and STORE", "#35a7a0"},
      {"dma", "exposed DMA", "Nothing computes: a transfer is under way and none waits.", "waited for transfers",
       "#5aa3dc"},
      {"scalar", "scalar", "The CPU of the PE works.", "ran on its CPU", "#7a5cc0"},
      {"dependency", "other PEs", "The kernel waits for other PEs: a message, a free slot, a credit.",
       "waited for other PEs", "#c2559b"},
  }};
  return kWords[static_cast<std::size_t>(share)];
}

const DisplayText& word_of(std::size_t share) {
  if (share < engine::kMaxEngines) return engine::engine_word(static_cast<engine::EngineId>(share));
  return word_of(static_cast<TimeShare>(share - engine::kMaxEngines));
}

std::vector<std::size_t> share_indices() {
  std::vector<std::size_t> shares(engine::known_engines());
  std::iota(shares.begin(), shares.end(), 0);
  for (std::size_t share = engine::kMaxEngines; share < kShares; ++share) shares.push_back(share);
  return shares;
}

const DisplayText& word_of(PeResource resource) {
  static constexpr std::array<DisplayText, kPeResources> kWords{{
      {"compute", "engines", "An engine computes.", "the compute engines", "#d9822b"},
      {"read_link", "read link", "Bytes cross the wire from the router to the PE.",
       "the link that brings data to the PE", "#5aa3dc"},
      {"write_link", "write link", "Bytes cross the wire from the PE to the router.",
       "the link that takes data from the PE", "#2f7fc1"},
      {"tcm_read", "TCM reads", "FETCH moves data from TCM to registers.", "FETCH, TCM to registers", "#35a7a0"},
      {"tcm_write", "TCM writes", "STORE moves data from registers to TCM.", "STORE, registers to TCM", "#8c93a8"},
      {"hbm_slice", "own HBM slice", "Bursts of the PE use the pseudo-channels of its own HBM slice.",
       "the PE's own HBM slice, reads and writes together", "#9a8a2a"},
      {"read_channel", "DMA read channels", "The DMA read channels are in use, round trips included.",
       "the DMA read channels, round trips included", "#1f5f9a"},
      {"write_channel", "DMA write channels", "The DMA write channels are in use, round trips included.",
       "the DMA write channels, round trips included", "#7a5cc0"},
  }};
  return kWords[static_cast<std::size_t>(resource)];
}

TimeFs TimeShares::computing() const {
  return std::accumulate(time.begin(), time.begin() + engine::kMaxEngines, 0_fs);
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
