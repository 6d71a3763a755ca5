#include "kernels/model_attention/paged_problem.h"

#include <fmt/format.h>

#include <cmath>

#include "kernels/model_attention/tile_columns.h"

namespace kb::kernels {

PagedSizes paged_sizes(tl::Context& tl, const PagedTensors& tensors, std::optional<double> scale) {
  const auto& [q, k, v, out] = tensors;
  tl.require(q.shape().size() == 3 && q.row_major(),
             fmt::format("{} must have three dimensions, of which the first is split", shape_text(q)));
  tl.require_matrices({out});
  tl.require(
      k.shape().size() == 4 && k.shape() == v.shape() && k.row_major() && v.row_major(),
      fmt::format("{} and {} must both be (blocks, page, kv_heads, d), split by blocks", shape_text(k), shape_text(v)));
  const std::int64_t m = out.shape()[0], d = q.shape()[2], heads = out.shape()[1] / d;
  tl.require(k.shape()[3] == d && heads > 0 && heads % k.shape()[2] == 0 && out.shape()[1] == heads * d,
             fmt::format("{} does not have query heads of {} for {}", shape_text(out), d, shape_text(k)));
  require_tile(tl, out);
  const Dtype dtype = q.dtype();
  tl.require(is_float(dtype) && !is_storage(dtype) && k.dtype() == dtype && v.dtype() == dtype && out.dtype() == dtype,
             "q, the caches and out must be of one dtype: f16, bf16 or f32");
  return {m, heads, k.shape()[2], d, k.shape()[1], scale.value_or(1 / std::sqrt(static_cast<double>(d)))};
}

}  // namespace kb::kernels
