// Where the time of a kernel on one PE went, and what was busy meanwhile.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "platform/base/units.h"
#include "platform/base/word.h"

namespace kb::contract {

// Each moment of a kernel counts once, for the first of these that holds: the PE computes, or this is why it does not.
enum class TimeShare : std::uint8_t {
  gemm,          // PE_GEMM computes
  math,          // PE_MATH computes
  queue_full,    // an engine holds a result that the next block has no room for
  tlb,           // an access waits for its address translation
  channel_busy,  // transfers wait for a DMA channel, all of which are in use
  tcm,           // operands or results move between TCM and register file
  dma,           // a transfer is under way
  scalar,        // the PE's CPU works
  dependency,    // none of these: the kernel waits for something outside the PE
};
inline constexpr std::size_t kTimeShares = 9;
// The phrase says what the PE did: "waited for a DMA channel".
const Word& word_of(TimeShare share);

// Service times in the same window, per unit of the resource: with two read channels half of what both were busy.
enum class PeResource : std::uint8_t {
  compute,     // the accel_slot
  read_link,   // bytes read / bandwidth of the link from the router
  write_link,  // bytes written / bandwidth of the link to the router
  tcm_read,    // FETCH
  tcm_write,   // STORE
  hbm_slice,   // bursts to and from the PE's own slice / bandwidth of its pseudo-channels
  read_channel,
  write_channel,
};
inline constexpr std::size_t kPeResources = 8;
// The phrase names the resource: "the PE's own HBM slice, reads and writes together".
const Word& word_of(PeResource resource);

struct TimeShares {
  std::array<TimeFs, kTimeShares> time{};
  std::array<TimeFs, kPeResources> busy{};

  TimeFs of(TimeShare share) const { return time[static_cast<std::size_t>(share)]; }
  TimeFs computing() const { return of(TimeShare::gemm) + of(TimeShare::math); }
  // Transfers that no computation hides.
  TimeFs exposed_dma() const { return of(TimeShare::dma) + of(TimeShare::channel_busy); }
  TimeFs of(PeResource resource) const { return busy[static_cast<std::size_t>(resource)]; }
  TimeFs total() const;
  // The resource that bounds the kernel from below: the busiest one, but rather a wire, a memory port or an engine
  // within 5 % of it than a channel, whose operations last as long as what they wait for.
  PeResource limiter() const;

  TimeShares& operator-=(const TimeShares& other);
};

}  // namespace kb::contract
