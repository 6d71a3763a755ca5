// The shares of a kernel's time and the resources of a PE by name.
#pragma once

#include <cstddef>
#include <vector>

#include "platform/base/display_text.h"
#include "platform/contract/time_shares.h"
#include "platform/engine/pe_time.h"

namespace kb::contract {

using engine::kPeResources;
using engine::word_of;
static_assert(engine::kTimeShares <= kMaxStallReasons && kPeResources <= kMaxPeResources);

// Shares that have a name, in order: those of the engines that the process knows, then the stall reasons.
std::vector<std::size_t> share_indices();
// The words for a share in share_indices(). The phrase says what the PE did: "waited for a DMA channel".
const DisplayText& word_of(std::size_t share);

}  // namespace kb::contract
