// What the kernels of paged attention have in common.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/tl/tl.h"

namespace kb::kernels {

struct PagedTensors {
  tl::Ptr q;     // (…, …, d), split by its first dimension
  tl::Ptr k, v;  // (blocks, page, kv_heads, d), split by blocks
  tl::Ptr out;   // (m, heads d), a tile
};

struct PagedSizes {
  std::int64_t m, heads, kv_heads, d, page;
  double scale;
  std::int64_t group() const { return heads / kv_heads; }  // query heads per K/V head
};

// Program Error KERNEL_ERROR when the tensors do not fit each other. scale: default 1 / sqrt(d).
PagedSizes paged_sizes(tl::Context& tl, const PagedTensors& tensors, std::optional<double> scale);

}  // namespace kb::kernels
