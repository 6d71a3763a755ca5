#include "kernels/gemm/gemm_composite.h"

#include "kernels/tl/tl.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;
using OptionalInt = std::optional<std::int64_t>;

void gemm_composite(Context& tl, Ptr a, Ptr b, Ptr c, std::int64_t m, std::int64_t k, std::int64_t n,
                    std::int64_t a_loaded, std::int64_t b_loaded, OptionalInt tile_m, OptionalInt tile_k,
                    OptionalInt tile_n) {
  const TensorHandle left = a_loaded != 0 ? tl.load(a, {m, k}) : tl.ref(a, {m, k});
  const TensorHandle right = b_loaded != 0 ? tl.load(b, {k, n}) : tl.ref(b, {k, n});
  tl::CompositeOptions options;
  if (tile_m && tile_k && tile_n) options.tile_shape = tl::TileShape{*tile_m, *tile_k, *tile_n};
  tl.wait(tl.composite(left, right, c, options));
}

}  // namespace

contract::Kernel gemm_composite_kernel() {
  return tl::make_kernel("gemm_composite", "C (m, n) = A (m, k) x B (k, n) as one composite on the PE that runs it",
                         {"a", "b", "c", "m", "k", "n", "a_loaded", "b_loaded", "tile_m", "tile_k", "tile_n"},
                         gemm_composite);
}

}  // namespace kb::kernels
