#include "sw/workloads/model_reference.h"

namespace kb::sw {

LayerValues layer_values(std::int64_t in, std::int64_t out, Dtype dtype, std::uint64_t seed, bool bias,
                         InitialValues values) {
  return {seeded_weight(in, out, dtype, seed, values), seeded_bias(in, out, dtype, seed, values), bias};
}

data::BoundedMatrix expected_mlp(const LayerReference& reference, const data::BoundedMatrix& x, std::int64_t inner,
                                 const MlpOptions& options) {
  const auto width = static_cast<std::int64_t>(x.cols);
  const auto values = [&](std::uint64_t number, std::int64_t in, std::int64_t out) {
    return layer_values(in, out, options.dtype, *options.seed + number, options.bias, options.values);
  };
  const auto linear = [&](const data::BoundedMatrix& from, const LayerValues& layer, bool split_sum) {
    return reference.linear(from, layer.weight, layer.bias_or_null(), split_sum);
  };
  data::BoundedMatrix h = linear(x, values(0, width, inner), false);
  h = options.activation == Activation::swiglu ? reference.swiglu(linear(x, values(2, width, inner), false), h)
                                               : reference.activate(options.activation, h);
  return linear(h, values(1, inner, width), true);
}

data::BoundedMatrix expected_block(const LayerReference& reference, const data::BoundedMatrix& x,
                                   const TransformerOptions& o) {
  const LayerValues qkv =
      layer_values(o.width, (o.heads + 2 * o.kv_heads) * o.head_dim, o.dtype, *o.seed, o.bias, o.values);
  const LayerValues projection = layer_values(o.heads * o.head_dim, o.width, o.dtype, *o.seed + 1, o.bias, o.values);
  MlpOptions mlp;
  mlp.activation = o.activation;
  mlp.bias = o.bias;
  mlp.dtype = o.dtype;
  mlp.seed = *o.seed + 2;
  mlp.values = o.values;
  const data::BoundedMatrix attended =
      reference.attention(reference.linear(reference.layer_norm(x, o.eps), qkv.weight, qkv.bias_or_null(), false),
                          {o.heads, o.kv_heads, o.head_dim, o.causal});
  const data::BoundedMatrix h =
      reference.add(x, reference.linear(attended, projection.weight, projection.bias_or_null(), true));
  return reference.add(h, expected_mlp(reference, reference.layer_norm(h, o.eps), o.inner, mlp));
}

}  // namespace kb::sw
