#include "kernels/attention/attention_rank.h"

#include <fmt/format.h>

#include "platform/base/checked.h"

namespace kb::kernels {
namespace {

// The rows of `tensor` at this PE: `rows` for each KV head.
tl::Ptr own_rows(tl::Context& tl, tl::Ptr tensor, std::int64_t rows, const AttentionArguments& args) {
  const tl::LocalShard mine = tl.shard(tensor);
  const Shape expected{checked_product("heads x rows of a head", {args.heads, rows}), args.d};
  if (mine.elements == element_count(expected) && mine.shape == expected) return mine.ptr;
  tl.fail(
      fmt::format("this rank owns {} of '{}', not {} ({} heads x {} rows, head dimension {}); split the tensor by "
                  "rows over the ranks",
                  mine.elements == 0 ? std::string("nothing") : format_shape(mine.shape), tensor.tensor().name,
                  format_shape(expected), args.heads, rows, args.d));
}

}  // namespace

tl::Parameters<AttentionArguments> attention_parameters() {
  using Args = AttentionArguments;
  return {{"q", &Args::q},
          {"k", &Args::k},
          {"v", &Args::v},
          {"o", &Args::o},
          {"rows", &Args::rows},
          {"keys", &Args::keys},
          {"d", &Args::d},
          {"heads", &Args::heads},
          {"n_ranks", &Args::n_ranks},
          {"rank_axis", &Args::rank_axis},
          {"slot_bytes", &Args::slot_bytes}};
}

std::optional<AttentionRank> attention_rank(tl::Context& tl, const AttentionArguments& args) {
  tl.require(args.rank_axis == 0 || args.rank_axis == 1, "rank_axis is 0 (PEs of a cube) or 1 (cubes)");
  AttentionRank out;
  out.ring = args.rank_axis == 0;
  if (!out.ring && tl.program_id(0) != 0) return std::nullopt;
  tl.require(args.rows >= 1 && args.keys >= 1 && args.d >= 1 && args.heads >= 1 && args.n_ranks >= 1,
             "rows, keys, d, heads and n_ranks are at least 1");
  if (out.ring) {
    tl.require(args.n_ranks == tl.num_programs(0), "the ring of rank_axis 0 takes all PEs of a cube as ranks");
    out.rank = tl.program_id(0);
  } else {
    tl.require(args.n_ranks <= tl.num_programs(1), "there are fewer cubes than ranks");
    out.rank = tl.program_id(1) % args.n_ranks;
  }
  out.q = own_rows(tl, args.q, args.rows, args);
  out.k = own_rows(tl, args.k, args.keys, args);
  out.v = own_rows(tl, args.v, args.keys, args);
  out.o = own_rows(tl, args.o, args.rows, args);
  return out;
}

}  // namespace kb::kernels
