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

// About the ns that the attention of chunks takes on the reference machine: a launch, the copies of the contexts, and
// what the PE with the most has for its pieces and their keys. From one number of tokens to the next, where pieces
// become larger or a PE gets one more, time / work hardly changes. The constants are a least-squares fit to 27 chunks
// of 32 and 8 heads, 32 to 2048 tokens with 0 to 4096 before them, within 5 %. Rows of the chunks do not matter.
double chunk_work(const AttentionShape& shape, const std::vector<contract::ChunkSequence>& chunks);

}  // namespace kb::profile
