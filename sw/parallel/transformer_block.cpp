#include "sw/parallel/transformer_block.h"

#include <fmt/format.h>

#include "platform/base/checked.h"
#include "platform/base/error.h"
#include "sw/parallel/layouts.h"

namespace kb::sw {
namespace {

std::int64_t columns_of_heads(const TransformerOptions& options, std::int64_t heads) {
  return checked_product(options.name + ": heads x head_dim", {heads, options.head_dim});
}

// Number of columns of Q, K and V together.
std::int64_t qkv_columns(const TransformerOptions& options) {
  const std::int64_t keys = columns_of_heads(options, options.kv_heads);
  return checked_sum(options.name + ": columns of Q, K and V", {columns_of_heads(options, options.heads), keys, keys});
}

LinearOptions qkv_options(const TransformerOptions& options) {
  LinearOptions out = layer_options(options, "qkv", 0);
  const std::int64_t keys = columns_of_heads(options, options.kv_heads);
  out.parts = {columns_of_heads(options, options.heads), keys, keys};
  return out;
}

MlpOptions mlp_options(const TransformerOptions& options) {
  MlpOptions out;
  out.activation = options.activation;
  out.bias = options.bias;
  out.dtype = options.dtype;
  out.memory = options.memory;
  if (options.seed) out.seed = *options.seed + 2;
  out.values = options.values;
  out.name = options.name + ".mlp";
  return out;
}

AttentionShape attention_shape(const ModelParallel& mp, const TransformerOptions& options) {
  if (options.heads < 1 || options.kv_heads < 1 || options.heads % options.kv_heads != 0) {
    throw Error::program("SHAPE_ERROR", fmt::format("{}: {} query heads cannot share {} K/V heads evenly", options.name,
                                                    options.heads, options.kv_heads));
  }
  return {mp.share(options.heads, options.name + ": query heads"),
          mp.share(options.kv_heads, options.name + ": K/V heads"), options.head_dim, options.causal};
}

}  // namespace

TransformerBlock::TransformerBlock(ModelParallel& mp, const TransformerOptions& options)
    : mp_(mp),
      options_(options),
      attention_(attention_shape(mp, options)),
      qkv_(mp, options.width, qkv_columns(options), qkv_options(options)),
      projection_(mp, columns_of_heads(options, options.heads), options.width, layer_options(options, "projection", 1)),
      mlp_(mp, options.width, options.inner, mlp_options(options)) {
  Runtime& rt = mp.runtime();
  const DPPolicy copies = copy_per_cube(rt.machine(), 1);
  ones_ = rt.full({1, options.width}, 1.0, options.dtype, copies, options.name + ".gamma");
  zeros_ = rt.zeros({1, options.width}, options.dtype, copies, options.name + ".beta");
}

Tensor TransformerBlock::forward(const Tensor& x) const {
  const Tensor qkv = qkv_.forward(layer_norm(mp_, x, ones_, zeros_, options_.eps));
  const Tensor attended = self_attention(mp_, qkv, attention_, options_.name + ".attention");
  const Tensor h = add(mp_, x, projection_.forward(attended));
  return add(mp_, h, mlp_.forward(layer_norm(mp_, h, ones_, zeros_, options_.eps)));
}

}  // namespace kb::sw
