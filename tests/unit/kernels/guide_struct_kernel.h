// The kernel with a struct of docs/guides/kernels.md; a test keeps the two alike.
#pragma once

#include <kernbench/kernels/tl/tl.h>

#include <algorithm>

// guide: begin
// dst[row] = scale * src[row] + shift for rows [first, first + rows) of matrices of one shape, on the PE that runs it.
struct ScaleRows {
  kb::tl::Ptr src, dst;
  std::int64_t first = 0, rows = 0;
  double scale = 1, shift = 0;
  std::optional<std::int64_t> rows_at_once;
};

inline void scale_rows(kb::tl::Context& tl, const ScaleRows& args) {
  const std::int64_t columns = args.src.shape()[1], step = args.rows_at_once.value_or(8);
  for (std::int64_t row = 0; row < args.rows; row += step) {
    kb::tl::Scratch scope(tl);
    const std::int64_t at = (args.first + row) * columns;
    const auto tile = tl.load(args.src + at, {std::min(step, args.rows - row), columns});
    tl.store(args.dst + at, tile * args.scale + args.shift);
  }
}

inline kb::contract::Kernel scale_rows_kernel() {
  return kb::tl::make_kernel("scale_rows", "dst = scale * src + shift on some rows",
                             kb::tl::Parameters<ScaleRows>{{"src", &ScaleRows::src},
                                                           {"dst", &ScaleRows::dst},
                                                           {"first", &ScaleRows::first},
                                                           {"rows", &ScaleRows::rows},
                                                           {"scale", &ScaleRows::scale},
                                                           {"shift", &ScaleRows::shift},
                                                           {"rows_at_once", &ScaleRows::rows_at_once}},
                             scale_rows);
}
// guide: end
