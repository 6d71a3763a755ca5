// How the time of a kernel on one PE divides, and which resources were busy.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/base/display_text.h"
#include "platform/base/units.h"
#include "platform/engine/engine_id.h"

namespace kb::contract {

// The reason why a PE does not compute.
enum class TimeShare : std::uint8_t {
  queue_full,    // an engine holds a result because the next queue is full
  tlb,           // an access waits for its address translation
  channel_busy,  // transfers wait because all DMA channels are in use
  tcm,           // operands or results move between TCM and register file
  dma,           // a transfer is in flight
  scalar,        // the PE's CPU executes
  dependency,    // everything else: the kernel waits for something outside the PE
};
inline constexpr std::size_t kTimeShares = 7;

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
const DisplayText& word_of(TimeShare share);

// Busy time of a resource during the kernel, per unit: with two read channels, half of the sum of both.
enum class PeResource : std::uint8_t {
  compute,     // the accel_slot
  read_link,   // bytes read / bandwidth of the link from the router
  write_link,  // bytes written / bandwidth of the link to the router
  tcm_read,    // FETCH
  tcm_write,   // STORE
  hbm_slice,   // bursts of the PE's own slice / bandwidth of its pseudo-channels
  read_channel,
  write_channel,
};
inline constexpr std::size_t kPeResources = 8;
// The phrase names the resource: "the PE's own HBM slice, reads and writes together".
const DisplayText& word_of(PeResource resource);

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
