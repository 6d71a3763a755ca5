// Which keys a token may attend to.
#pragma once

#include <cstdint>

#include "kernels/attention/dealt_rows.h"
#include "kernels/tl/tl.h"

namespace kb::kernels {

// Which keys a row of queries sees. Row i is a query of token first_token + i / rows_per_token; key i belongs to token
// i.
struct Sight {
  bool causal = false;  // no key of a later token
  std::int64_t first_token = 0;
  std::int64_t rows_per_token = 1;  // query heads that share a KV head

  std::int64_t token_of(std::int64_t row) const { return first_token + row / rows_per_token; }
  // How many of the keys, from the first one on, the last of the rows sees.
  std::int64_t seen(const RowPair& rows, const RowPair& keys) const {
    return causal ? keys.count_before(token_of(rows[rows.count() - 1]) + 1) : keys.count();
  }
};

// i32 (rows, keys): 1 where the row sees the key, else 0.
tl::TensorHandle causal_mask(tl::Context& tl, const Sight& sight, const RowPair& rows, const RowPair& keys);

}  // namespace kb::kernels
