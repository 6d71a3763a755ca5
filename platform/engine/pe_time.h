// What the time of a PE is spent on besides its engines, and its resources: names and words. No engine may have such a
// name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "platform/base/display_text.h"

namespace kb::engine {

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
// The phrase says what the PE did: "waited for a DMA channel".
inline constexpr std::array<DisplayText, kTimeShares> kTimeShareWords{{
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
constexpr const DisplayText& word_of(TimeShare share) {
  return kTimeShareWords[static_cast<std::size_t>(share)];
}

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
inline constexpr std::array<DisplayText, kPeResources> kPeResourceWords{{
    {"compute", "engines", "An engine computes.", "the compute engines", "#d9822b"},
    {"read_link", "read link", "Bytes cross the wire from the router to the PE.", "the link that brings data to the PE",
     "#5aa3dc"},
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
constexpr const DisplayText& word_of(PeResource resource) {
  return kPeResourceWords[static_cast<std::size_t>(resource)];
}

}  // namespace kb::engine
