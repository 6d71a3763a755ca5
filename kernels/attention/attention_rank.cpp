#include "kernels/attention/attention_rank.h"

#include <fmt/format.h>

#include <limits>

#include "platform/base/checked.h"

namespace kb::kernels {
namespace {

// The part of `tensor` that this PE owns: `rows` rows for each KV head.
tl::Ptr own_rows(tl::Context& tl, tl::Ptr tensor, std::int64_t rows, const AttentionArguments& args) {
  const tl::LocalShard mine = tl.shard(tensor);
  const Shape expected{checked_product("heads x rows of a head", {args.heads, rows}), args.d};
  if (mine.elements == element_count(expected) && mine.shape == expected) return mine.ptr;
  tl.fail(
      fmt::format("this rank owns {} of '{}', not {} ({} heads x {} rows, head dimension {}); split the tensor by "
                  "rows over the ranks, with the largest share for each",
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
          {"tokens", &Args::tokens},
          {"q_per_kv", &Args::q_per_kv},
          {"context", &Args::context},
          {"d", &Args::d},
          {"heads", &Args::heads},
          {"n_ranks", &Args::n_ranks},
          {"rank_axis", &Args::rank_axis},
          {"slot_bytes", &Args::slot_bytes},
          {"causal", &Args::causal},
          {"rows", &Args::rows},
          {"keys", &Args::keys}};
}

std::optional<AttentionRank> attention_rank(tl::Context& tl, const AttentionArguments& args, Queries queries) {
  tl.require(args.rank_axis == 0 || args.rank_axis == 1, "rank_axis is 0 (PEs of a cube) or 1 (cubes)");
  AttentionRank out;
  out.ring = args.rank_axis == 0;
  if (!out.ring && tl.program_id(0) != 0) return std::nullopt;
  tl.require(args.tokens >= 1 && args.q_per_kv >= 1 && args.context >= 1 && args.d >= 1 && args.heads >= 1 &&
                 args.n_ranks >= 1,
             "tokens, q_per_kv, context, d, heads and n_ranks are at least 1");
  tl.require(args.most_rows() >= 1 && args.most_keys() >= 1, "rows and keys are at least 1");
  tl.require(!args.sight().causal || args.tokens <= args.context,
             "causal queries are the last tokens of a context of at least as many keys");
  tl.require(
      checked_product("context x q_per_kv", {args.context, args.q_per_kv}) <= std::numeric_limits<std::int32_t>::max(),
      "context x q_per_kv fits an i32");
  if (out.ring) {
    tl.require(args.n_ranks == tl.num_programs(0), "the ring of rank_axis 0 takes all PEs of a cube as ranks");
    out.rank = tl.program_id(0);
  } else {
    tl.require(args.n_ranks <= tl.num_programs(1), "there are fewer cubes than ranks");
    out.rank = tl.program_id(1) % args.n_ranks;
  }
  const std::int64_t rows = checked_product("tokens x q_per_kv", {args.tokens, args.q_per_kv});
  const std::int64_t rows_of_a_head = queries == Queries::dealt ? BalancedRows(rows, args.n_ranks).most() : rows;
  const std::int64_t keys_of_a_head = BalancedRows(args.context, args.n_ranks).most();
  out.q = own_rows(tl, args.q, rows_of_a_head, args);
  out.k = own_rows(tl, args.k, keys_of_a_head, args);
  out.v = own_rows(tl, args.v, keys_of_a_head, args);
  out.o = own_rows(tl, args.o, rows_of_a_head, args);
  return out;
}

}  // namespace kb::kernels
