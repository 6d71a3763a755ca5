#include <fmt/format.h>

#include "platform/model/graph_builder.h"

namespace kb::model {

void GraphBuilder::attention() {
  const std::int64_t heads = local_heads(), kv_heads = local_kv_heads(spec_, plan_.tp), dim = spec_.head_dim;
  const std::size_t qkv = linear("qkv", normed_, {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"}, "qkv");
  const auto rotated = static_cast<double>(tokens() * (heads + kv_heads)) * static_cast<double>(dim);
  if (spec_.qk_norm) {
    GraphOp& made = op(OpKind::head_norm, "qk_norm", {qkv}, {qkv},
                       {weight("self_attn.q_norm.weight"), weight("self_attn.k_norm.weight")});
    made.numbers = {{"rows", tokens()}, {"heads", heads}, {"kv_heads", kv_heads}, {"head_dim", dim}};
    made.work.element_ops = passes({MathOp::mul, MathOp::sum, MathOp::mul, MathOp::mul}) * rotated;
  }
  GraphOp& turn = op(OpKind::rope, "rope", {qkv}, {qkv});
  turn.numbers = {{"rows", tokens()}, {"heads", heads}, {"kv_heads", kv_heads}, {"head_dim", dim}};
  turn.work.element_ops = passes({MathOp::mul, MathOp::fma}) * rotated;  // x cos + turned x sin

  const std::string cut = fmt::format("{} of {} K/V heads", kv_heads, spec_.kv_heads);
  const std::int64_t cached = batch_.cached_tokens(window());
  const std::size_t k = cache("cache.k", cached, {kv_heads, dim}, cut),
                    v = cache("cache.v", cached, {kv_heads, dim}, cut);
  const auto token_bytes = static_cast<std::uint64_t>(2 * kv_heads * dim) * item_size(graph_.dtype);
  GraphOp& append = op(OpKind::append, "append", {qkv}, {k, v});
  append.numbers = {{"rows", tokens()}, {"kv_heads", kv_heads}, {"head_dim", dim}};
  append.work.cache_bytes = append.work.activation_bytes = static_cast<std::uint64_t>(tokens()) * token_bytes;

  const std::size_t attended = activation("attended", {tokens(), heads * dim});
  GraphOp& made = op(OpKind::attend, "attend", {qkv, k, v}, {attended});
  made.numbers = {{"rows", tokens()}, {"heads", heads},     {"kv_heads", kv_heads},
                  {"head_dim", dim},  {"window", window()}, {"sequences", batch_.size()}};
  made.work.activation_bytes = 2 * bytes(attended);  // queries and results
  for (const Sequences& one : batch_.sequences) {
    const double scores = static_cast<double>(one.count * heads) * static_cast<double>(one.pairs(window()));
    made.work.macs += 2 * scores * static_cast<double>(dim);
    made.work.element_ops += scores * passes({MathOp::softmax});
    made.work.cache_bytes += static_cast<std::uint64_t>(one.count * one.keys(window())) * token_bytes;
  }
  delta_ = linear("o", attended, {"self_attn.o_proj"}, "attention_delta");
  all_reduce(*delta_, "attention.all_reduce");
}

// A decode step stays inside the latent: queries are brought into it once per head, and scores and sums have its width.
// In a prefill the keys and values of all tokens are expanded, because that takes fewer products.
void GraphBuilder::add_latent_work(const MlaSpec& mla, GraphOp& op) const {
  const auto heads = static_cast<double>(local_heads());
  const auto rank = static_cast<double>(mla.kv_rank);
  const auto expanded = static_cast<double>(mla.nope_dim + mla.v_dim);
  const auto token_bytes = static_cast<std::uint64_t>(mla.kv_rank + mla.rope_dim) * item_size(graph_.dtype);
  const bool inside = batch_.phase == Phase::decode;
  for (const Sequences& one : batch_.sequences) {
    const auto count = static_cast<double>(one.count);
    const double scores = count * heads * static_cast<double>(one.pairs(0));
    const auto moved = static_cast<double>(inside ? one.tokens : one.context());  // tokens through kv_b
    op.work.macs += count * heads * moved * rank * expanded;
    op.work.macs += scores * (inside ? 2 * rank + static_cast<double>(mla.rope_dim)
                                     : static_cast<double>(mla.nope_dim + mla.rope_dim + mla.v_dim));
    op.work.element_ops += scores * passes({MathOp::softmax});
    op.work.cache_bytes += static_cast<std::uint64_t>(one.count * one.keys(0)) * token_bytes;
  }
}

void GraphBuilder::latent_attention(const MlaSpec& mla) {
  const std::int64_t heads = local_heads(), query_dim = mla.nope_dim + mla.rope_dim;
  std::size_t from = normed_;
  if (mla.q_rank > 0) {
    from = linear("q_a", normed_, {"self_attn.q_a_proj"}, "q_latent");
    from = plain_norm("q_a_norm", from, "self_attn.q_a_layernorm.weight", mla.q_rank);
  }
  const std::size_t q = linear("q_b", from, {mla.q_rank > 0 ? "self_attn.q_b_proj" : "self_attn.q_proj"}, "q");
  const std::size_t latent = linear("kv_a", normed_, {"self_attn.kv_a_proj_with_mqa"}, "kv_latent");
  const std::size_t kv = plain_norm("kv_a_norm", latent, "self_attn.kv_a_layernorm.weight", mla.kv_rank);
  GraphOp& turn = op(OpKind::rope, "rope", {q, kv}, {q, kv});
  turn.numbers = {{"rows", tokens()}, {"heads", heads}, {"kv_heads", 1}, {"head_dim", mla.rope_dim}};
  const auto turned = static_cast<std::uint64_t>(tokens() * (heads + 1) * mla.rope_dim);
  turn.work.activation_bytes = 2 * turned * item_size(graph_.dtype);
  turn.work.element_ops = passes({MathOp::mul, MathOp::fma}) * static_cast<double>(turned);

  const std::size_t cached = cache("cache.latent", batch_.cached_tokens(0), {mla.kv_rank + mla.rope_dim}, "whole");
  GraphOp& append = op(OpKind::append, "append", {kv}, {cached});
  append.numbers = {{"rows", tokens()}, {"kv_heads", 1}, {"head_dim", mla.kv_rank + mla.rope_dim}};
  append.work.cache_bytes = bytes(kv);
  append.work.activation_bytes = bytes(kv);

  const std::size_t attended = activation("attended", {tokens(), heads * mla.v_dim});
  GraphOp& made = op(OpKind::mla, "attend", {q, cached}, {attended}, {weight("self_attn.kv_b_proj.weight")});
  made.numbers = {
      {"rows", tokens()},         {"heads", heads},     {"kv_rank", mla.kv_rank}, {"nope_dim", mla.nope_dim},
      {"rope_dim", mla.rope_dim}, {"v_dim", mla.v_dim}, {"query_dim", query_dim}, {"sequences", batch_.size()}};
  add_latent_work(mla, made);
  delta_ = linear("o", attended, {"self_attn.o_proj"}, "attention_delta");
  all_reduce(*delta_, "attention.all_reduce");
}

}  // namespace kb::model
