// How the time of a kernel on one PE divides, and which resources were busy.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "platform/base/display_text.h"
#include "platform/base/units.h"
#include "platform/engine/engine_id.h"
#include "platform/engine/pe_time.h"

namespace kb::contract {

using engine::kPeResources;
using engine::kTimeShares;
using engine::PeResource;
using engine::TimeShare;
using engine::word_of;

// Each moment of a kernel counts for the first share that applies: an engine that computes, in the order of their ids,
// or else the stall reason. Shares are indices of arrays; those of engines come first.
inline constexpr std::size_t kShares = engine::kMaxEngines + kTimeShares;
constexpr std::size_t share_index(engine::EngineId engine) {
  return engine::index_of(engine);
}
constexpr std::size_t share_index(TimeShare share) {
  return engine::kMaxEngines + static_cast<std::size_t>(share);
}
// Shares that have a name, in order: those of the engines that the process knows, then the stall reasons.
std::vector<std::size_t> share_indices();
// The phrase says what the PE did: "waited for a DMA channel".
const DisplayText& word_of(std::size_t share);

struct TimeShares {
  std::array<TimeFs, kShares> time{};
  std::array<TimeFs, kPeResources> busy{};

  TimeFs of(TimeShare share) const { return time[share_index(share)]; }
  TimeFs of(engine::EngineId engine) const { return time[share_index(engine)]; }
  TimeFs computing() const;  // sum over all engines
  // Transfers that no computation hides.
  TimeFs exposed_dma() const { return of(TimeShare::dma) + of(TimeShare::channel_busy); }
  TimeFs of(PeResource resource) const { return busy[static_cast<std::size_t>(resource)]; }
  TimeFs total() const;
  // The resource that bounds the kernel from below: the busiest one. A wire, memory port or engine within 5 % of a
  // channel takes precedence, because a channel is occupied as long as its operations wait for other resources.
  PeResource limiter() const;

  TimeShares& operator-=(const TimeShares& other);
};

}  // namespace kb::contract
