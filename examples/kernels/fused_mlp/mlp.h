// Arguments of the three kernels for a two-layer MLP, y = relu(x w1) w2, over the PEs of a cube.
#pragma once

#include <kernbench/kernels/tl/tl.h>

#include <cstdint>

// Each PE owns `inner` columns of w1 and h, and `out` columns of w2 and y. A block of columns is contiguous in memory.
struct Mlp {
  kb::tl::Ptr x, h;       // (tokens, width); a block (tokens, inner) of each PE, in their order; staged: a copy per PE
  kb::tl::Ptr w1, w2, y;  // the blocks of this PE: (width, inner), (pes * inner, out) and (tokens, out)
  std::int64_t me = 0, pes = 1;  // this PE, and how many share the layer
  std::int64_t tokens = 0, width = 0, inner = 0, out = 0;

  static constexpr std::int64_t kRows = 32;  // tokens that are computed at once
};

void blocking(kb::tl::Context& tl, const Mlp& mlp);
void ahead(kb::tl::Context& tl, const Mlp& mlp);
void staged(kb::tl::Context& tl, const Mlp& mlp);
