// Which keys a token may attend to.
#pragma once

#include <cstdint>

#include "kernels/tl/tl.h"

namespace kb::kernels {

// f32 (rows, keys) to add to products of queries and keys: 0 where key `key` + column is no later than row `row` + row,
// else far below every product.
tl::TensorHandle causal_mask(tl::Context& tl, std::int64_t row, std::int64_t rows, std::int64_t key, std::int64_t keys);

}  // namespace kb::kernels
