// Causal masks of attention.
#pragma once

#include <cstdint>

#include "kernels/attention/balanced_rows.h"
#include "kernels/tl/tl.h"

namespace kb::kernels {

// The keys that query rows may attend to. Row i is a query of token first_token + i / rows_per_token; key i belongs to
// token i.
struct AttentionMask {
  bool causal = false;  // excludes keys of later tokens
  std::int64_t first_token = 0;
  std::int64_t rows_per_token = 1;  // query heads per KV head

  std::int64_t token_of(std::int64_t row) const { return first_token + row / rows_per_token; }
  // Number of leading keys that the last of the rows may attend to.
  std::int64_t seen(const RowPair& rows, const RowPair& keys) const {
    return causal ? keys.count_before(token_of(rows[rows.count() - 1]) + 1) : keys.count();
  }
};

// i32 (rows, keys): 1 where the row may attend to the key, otherwise 0.
tl::TensorHandle causal_mask(tl::Context& tl, const AttentionMask& sight, const RowPair& rows, const RowPair& keys);

}  // namespace kb::kernels
