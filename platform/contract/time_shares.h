// How the time of a kernel on one PE divides, and how long its resources were busy: the numbers alone. What the shares
// and resources are, with their words, is in share_words.h, so that a new one does not compile whoever passes results
// on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "platform/base/units.h"
#include "platform/engine/engine_id.h"

namespace kb::engine {
enum class TimeShare : std::uint8_t;
enum class PeResource : std::uint8_t;
}  // namespace kb::engine

namespace kb::contract {

using engine::PeResource;
using engine::TimeShare;

// Room for stall reasons and for resources; places without a name stay 0.
inline constexpr std::size_t kMaxStallReasons = 16;
inline constexpr std::size_t kMaxPeResources = 16;

// Each moment of a kernel counts for the first share that applies: an engine that computes, in the order of their ids,
// or else the stall reason. Shares are indices of arrays; those of engines come first.
inline constexpr std::size_t kShares = engine::kMaxEngines + kMaxStallReasons;
constexpr std::size_t share_index(engine::EngineId engine) {
  return engine::index_of(engine);
}
constexpr std::size_t share_index(TimeShare share) {
  return engine::kMaxEngines + static_cast<std::size_t>(share);
}

struct TimeShares {
  std::array<TimeFs, kShares> time{};
  std::array<TimeFs, kMaxPeResources> busy{};

  TimeFs of(TimeShare share) const { return time[share_index(share)]; }
  TimeFs of(engine::EngineId engine) const { return time[share_index(engine)]; }
  TimeFs of(PeResource resource) const { return busy[static_cast<std::size_t>(resource)]; }
  TimeFs computing() const;    // sum over all engines
  TimeFs exposed_dma() const;  // transfers that no computation hides
  TimeFs total() const;
  // The resource that bounds the kernel from below: the busiest one. A wire, memory port or engine within 5 % of a
  // channel takes precedence, because a channel is occupied as long as its operations wait for other resources.
  PeResource limiter() const;

  TimeShares& operator-=(const TimeShares& other);
};

}  // namespace kb::contract
