#include "sw/parallel/functions.h"

#include <fmt/format.h>

#include "platform/base/checked.h"
#include "platform/base/error.h"
#include "platform/contract/tensor_layout.h"
#include "sw/parallel/layouts.h"
#include "sw/parallel/regions.h"

namespace kb::sw {
namespace {

void require_float(const std::string& name, const Tensor& x) {
  if (is_float(x.dtype())) return;
  throw Error::program("DTYPE_ERROR",
                       fmt::format("{} works on floats, tensor '{}' holds {}", name, x.name(), dtype_name(x.dtype())));
}

bool placed_alike(const Tensor& x, const Tensor& y) {
  if (has_whole_rows(x) || has_whole_rows(y)) return has_whole_rows(x) && has_whole_rows(y);
  return x.placement().size() == y.placement().size() && x.layout().shard_shape == y.layout().shard_shape;
}

Tensor apply(ModelParallel& mp, const std::string& function, const Tensor& x) {
  mp.require_tensor(function, x, x.deployed() ? x.dtype() : Dtype::f16);
  if (function != "relu") require_float(function, x);
  const Tensor out = mp.runtime().empty(x.shape(), x.dtype(), x.policy(), function);
  mp.run(function, StepKind::pointwise, "pointwise", {{"function", function}, {"x", x}, {"out", out}});
  return out;
}

Tensor apply(ModelParallel& mp, const std::string& function, const Tensor& x, const Tensor& y) {
  mp.require_tensor(function, x, x.deployed() ? x.dtype() : Dtype::f16);
  mp.require_tensor(function, y, x.dtype());
  if (function != "add") require_float(function, x);
  if (x.shape() != y.shape()) {
    throw Error::program("SHAPE_ERROR", fmt::format("{}: '{}' {} and '{}' {} must have one shape", function, x.name(),
                                                    format_shape(x.shape()), y.name(), format_shape(y.shape())));
  }
  const bool alike = placed_alike(x, y);
  const Tensor left = alike ? x : with_whole_rows(mp, x, function);
  const Tensor right = alike ? y : with_whole_rows(mp, y, function);
  const Tensor out = mp.runtime().empty(x.shape(), x.dtype(), left.policy(), function);
  mp.run(function, StepKind::pointwise, "pointwise", {{"function", function}, {"x", left}, {"out", out}, {"y", right}});
  return out;
}

std::int64_t qkv_columns(const std::string& name, const AttentionShape& shape) {
  const std::int64_t heads = checked_sum(name + ": heads", {shape.heads, shape.kv_heads, shape.kv_heads});
  return checked_product(name + ": heads x head_dim", {heads, shape.head_dim});
}

}  // namespace

Tensor relu(ModelParallel& mp, const Tensor& x) {
  return apply(mp, "relu", x);
}

Tensor gelu(ModelParallel& mp, const Tensor& x) {
  return apply(mp, "gelu", x);
}

Tensor silu(ModelParallel& mp, const Tensor& x) {
  return apply(mp, "silu", x);
}

Tensor swiglu(ModelParallel& mp, const Tensor& gate, const Tensor& x) {
  return apply(mp, "swiglu", gate, x);
}

Tensor add(ModelParallel& mp, const Tensor& x, const Tensor& y) {
  return apply(mp, "add", x, y);
}

Tensor layer_norm(ModelParallel& mp, const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps) {
  const std::string name = "layer_norm";
  mp.require_tensor(name, x, x.deployed() ? x.dtype() : Dtype::f16);
  require_float(name, x);
  for (const Tensor& factor : {gamma, beta}) {
    mp.require_tensor(name, factor, x.dtype());
    if (factor.shape() == Shape{1, x.shape()[1]}) continue;
    throw Error::program("SHAPE_ERROR", fmt::format("{}: '{}' {} must be {}", name, factor.name(),
                                                    format_shape(factor.shape()), format_shape({1, x.shape()[1]})));
  }
  Runtime& rt = mp.runtime();
  const Tensor rows = with_whole_rows(mp, x, name);
  const Tensor out = rt.empty(x.shape(), x.dtype(), copy_per_cube(rt.machine(), x.shape()[0]), name);
  mp.run(name, StepKind::pointwise, "layernorm",
         {{"x", rows}, {"gamma", gamma}, {"beta", beta}, {"out", out}, {"eps", eps}});
  return out;
}

Tensor self_attention(ModelParallel& mp, const Tensor& qkv, const AttentionShape& shape, const std::string& name) {
  mp.require_tensor(name, qkv, qkv.deployed() ? qkv.dtype() : Dtype::f16);
  require_float(name, qkv);
  const bool sane = shape.heads >= 1 && shape.kv_heads >= 1 && shape.head_dim >= 1;
  if (!sane || shape.heads % shape.kv_heads != 0 || qkv.shape()[1] != qkv_columns(name, shape)) {
    throw Error::program("SHAPE_ERROR",
                         fmt::format("{}: '{}' {} does not hold {} query and {} K/V heads of {}", name, qkv.name(),
                                     format_shape(qkv.shape()), shape.heads, shape.kv_heads, shape.head_dim));
  }
  Runtime& rt = mp.runtime();
  const std::int64_t m = qkv.shape()[0];
  const Tensor rows = with_whole_rows(mp, qkv, name);
  const Tensor out = rt.empty({m, shape.heads * shape.head_dim}, qkv.dtype(), split_rows(rt.machine(), m), name);
  LaunchOptions everywhere;
  everywhere.cubes.emplace();
  for (int cube = 0; cube < rt.machine().cubes_per_sip; ++cube) everywhere.cubes->push_back(cube);
  mp.run(name, StepKind::product, "self_attention",
         {{"qkv", rows},
          {"out", out},
          {"heads", shape.heads},
          {"kv_heads", shape.kv_heads},
          {"d", shape.head_dim},
          {"causal", shape.causal}},
         everywhere);
  return out;
}

}  // namespace kb::sw
