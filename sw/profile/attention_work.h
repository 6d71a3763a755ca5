// How much the PE with the most to do has of the attention of chunks (M-132).
#pragma once

#include <cstdint>
#include <vector>

#include "platform/contract/paged_attention.h"

namespace kb::profile {

// Attention of a model on one SIP of a machine.
struct AttentionShape {
  contract::AttentionMachine machine;
  std::int64_t heads = 1, kv_heads = 1;  // of the SIP
  std::int64_t window = 0;               // as in model::LayerSpec
};

// Keys times query rows, with what a piece takes beside its rows (contract::piece_cost()), and a launch: time / work
// hardly changes from one number of tokens to the next, where pieces become larger or a PE gets one more. Its constants
// are those with the least differences between neighbours for 58 chunks of 32 and 8 heads on the reference machine.
// Rows of the chunks do not matter.
double chunk_work(const AttentionShape& shape, const std::vector<contract::ChunkSequence>& chunks);

}  // namespace kb::profile
