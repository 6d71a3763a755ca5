// Arguments of the tutorial's kernels for a linear layer, y = x * transpose(w).
#pragma once

#include <kernbench/kernels/tl/tl.h>

#include <cstdint>

struct Layer {
  kb::tl::Ptr x, w, y;               // (tokens, depth), (columns, depth) and (tokens, columns), in f16
  std::int64_t first = 0, rows = 0;  // rows of x and y that this PE owns
  std::int64_t depth = 0, columns = 0;
};

void small_tiles(kb::tl::Context& tl, const Layer& layer);
void larger_tiles(kb::tl::Context& tl, const Layer& layer);
void whole_rows(kb::tl::Context& tl, const Layer& layer);
void loads_ahead(kb::tl::Context& tl, const Layer& layer);
void own_block_first(kb::tl::Context& tl, const Layer& layer);
