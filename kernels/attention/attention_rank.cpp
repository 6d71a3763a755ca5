#include "kernels/attention/attention_rank.h"

#include <fmt/format.h>

#include "platform/base/checked.h"

namespace kb::kernels {
namespace {

// The rows of `tensor` at this PE: `rows` for each KV head.
tl::Ptr own_rows(tl::Context& tl, tl::Ptr tensor, std::int64_t rows, const AttentionSizes& sizes) {
  const tl::LocalShard mine = tl.shard(tensor);
  const Shape expected{checked_product("heads x rows of a head", {sizes.heads, rows}), sizes.d};
  if (mine.elements == element_count(expected) && mine.shape == expected) return mine.ptr;
  tl.fail(
      fmt::format("this rank owns {} of '{}', not {} ({} heads x {} rows, head dimension {}); split the tensor by "
                  "rows over the ranks",
                  mine.elements == 0 ? std::string("nothing") : format_shape(mine.shape), tensor.tensor().name,
                  format_shape(expected), sizes.heads, rows, sizes.d));
}

}  // namespace

std::optional<AttentionRank> attention_rank(tl::Context& tl, const AttentionSizes& sizes, tl::Ptr q, tl::Ptr k,
                                            tl::Ptr v, tl::Ptr o) {
  tl.require(sizes.rank_axis == 0 || sizes.rank_axis == 1, "rank_axis is 0 (PEs of a cube) or 1 (cubes)");
  AttentionRank out;
  out.ring = sizes.rank_axis == 0;
  if (!out.ring && tl.program_id(0) != 0) return std::nullopt;
  tl.require(sizes.rows >= 1 && sizes.keys >= 1 && sizes.d >= 1 && sizes.heads >= 1 && sizes.n_ranks >= 1,
             "rows, keys, d, heads and n_ranks are at least 1");
  if (out.ring) {
    tl.require(sizes.n_ranks == tl.num_programs(0), "the ring of rank_axis 0 takes all PEs of a cube as ranks");
    out.rank = tl.program_id(0);
  } else {
    tl.require(sizes.n_ranks <= tl.num_programs(1), "there are fewer cubes than ranks");
    out.rank = tl.program_id(1) % sizes.n_ranks;
  }
  out.q = own_rows(tl, q, sizes.rows, sizes);
  out.k = own_rows(tl, k, sizes.keys, sizes);
  out.v = own_rows(tl, v, sizes.keys, sizes);
  out.o = own_rows(tl, o, sizes.rows, sizes);
  return out;
}

}  // namespace kb::kernels
