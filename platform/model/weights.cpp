#include "platform/model/weights.h"

#include <fmt/format.h>

#include <utility>

#include "platform/base/checked.h"

namespace kb::model {
namespace {

// Collects the tensors of one layer.
class LayerWeights {
 public:
  LayerWeights(const ModelSpec& spec, std::int64_t layer, Dtype dtype) : spec_(spec), layer_(layer), dtype_(dtype) {}

  std::vector<WeightTensor> collect() {
    vector("input_layernorm", spec_.hidden);
    if (spec_.mla) {
      add_latent_attention(*spec_.mla);
    } else {
      add_attention();
    }
    vector("post_attention_layernorm", spec_.hidden);
    if (spec_.layers[static_cast<std::size_t>(layer_)].moe) {
      add_experts(*spec_.moe);
    } else {
      add_mlp("mlp", spec_.mlp_width);
    }
    return std::move(tensors_);
  }

 private:
  WeightTensor& add(const std::string& role, Shape shape, Cut cut) {
    WeightTensor tensor;
    tensor.role = role;
    tensor.layer = layer_;
    tensor.shape = std::move(shape);
    tensor.dtype = dtype_;
    tensor.cut = cut;
    return tensors_.emplace_back(std::move(tensor));
  }
  void vector(const std::string& role, std::int64_t elements) { add(role + ".weight", {elements}, Cut::whole); }
  // The weight of a product [outputs, inputs]; with a bias per output.
  WeightTensor& product(const std::string& role, std::int64_t outputs, std::int64_t inputs, Cut cut,
                        bool bias = false) {
    if (bias) add(role + ".bias", {outputs}, cut == Cut::columns ? Cut::whole : cut);
    WeightTensor& tensor = add(role + ".weight", {outputs, inputs}, cut);
    if (spec_.scales) {
      tensor.scales = spec_.scales;
      tensor.dtype = spec_.scales->dtype;
    }
    return tensor;
  }

  void add_attention() {
    const std::int64_t queries = spec_.heads * spec_.head_dim, keys = spec_.kv_heads * spec_.head_dim;
    product("self_attn.q_proj", queries, spec_.hidden, Cut::rows, spec_.qkv_bias);
    product("self_attn.k_proj", keys, spec_.hidden, Cut::kv_rows, spec_.qkv_bias);
    product("self_attn.v_proj", keys, spec_.hidden, Cut::kv_rows, spec_.qkv_bias);
    if (spec_.qk_norm) {
      vector("self_attn.q_norm", spec_.head_dim);
      vector("self_attn.k_norm", spec_.head_dim);
    }
    product("self_attn.o_proj", spec_.hidden, queries, Cut::columns, spec_.o_bias);
  }

  void add_latent_attention(const MlaSpec& mla) {
    const std::int64_t query_dim = mla.nope_dim + mla.rope_dim;
    if (mla.q_rank > 0) {
      product("self_attn.q_a_proj", mla.q_rank, spec_.hidden, Cut::whole, spec_.qkv_bias);
      vector("self_attn.q_a_layernorm", mla.q_rank);
      product("self_attn.q_b_proj", spec_.heads * query_dim, mla.q_rank, Cut::rows);
    } else {
      product("self_attn.q_proj", spec_.heads * query_dim, spec_.hidden, Cut::rows);
    }
    product("self_attn.kv_a_proj_with_mqa", mla.kv_rank + mla.rope_dim, spec_.hidden, Cut::whole, spec_.qkv_bias);
    vector("self_attn.kv_a_layernorm", mla.kv_rank);
    product("self_attn.kv_b_proj", spec_.heads * (mla.nope_dim + mla.v_dim), mla.kv_rank, Cut::rows);
    product("self_attn.o_proj", spec_.hidden, spec_.heads * mla.v_dim, Cut::columns, spec_.o_bias);
  }

  void add_mlp(const std::string& role, std::int64_t width) {
    product(role + ".gate_proj", width, spec_.hidden, Cut::rows, spec_.mlp_bias);
    product(role + ".up_proj", width, spec_.hidden, Cut::rows, spec_.mlp_bias);
    product(role + ".down_proj", spec_.hidden, width, Cut::columns, spec_.mlp_bias);
  }

  void add_experts(const MoeSpec& moe) {
    const bool mixtral = spec_.family == "mixtral";
    const std::string block = mixtral ? "block_sparse_moe" : "mlp";
    add(block + ".gate.weight", {moe.experts, spec_.hidden}, Cut::whole);
    if (moe.router == RouterKind::sigmoid_bias) {
      add(block + ".gate.e_score_correction_bias", {moe.experts}, Cut::whole).dtype = Dtype::f32;
    }
    const auto expert = [&](const char* own, const char* of_mixtral, std::int64_t rows, std::int64_t columns, Cut cut) {
      product(block + ".experts.*." + (mixtral ? of_mixtral : own), rows, columns, cut).experts = moe.experts;
    };
    expert("gate_proj", "w1", moe.width, spec_.hidden, Cut::expert_rows);
    expert("up_proj", "w3", moe.width, spec_.hidden, Cut::expert_rows);
    expert("down_proj", "w2", spec_.hidden, moe.width, Cut::expert_columns);
    if (moe.shared_width > 0) add_mlp(block + ".shared_experts", moe.shared_width);
  }

  const ModelSpec& spec_;
  std::int64_t layer_;
  Dtype dtype_;
  std::vector<WeightTensor> tensors_;
};

WeightTensor outer(const std::string& role, Shape shape, Dtype dtype, Cut cut) {
  WeightTensor tensor;
  tensor.role = role;
  tensor.shape = std::move(shape);
  tensor.dtype = dtype;
  tensor.cut = cut;
  return tensor;
}

}  // namespace

std::string cut_text(Cut cut, const ParallelPlan& plan) {
  const auto over = [](const char* what, std::int64_t parts) {
    return parts == 1 ? std::string("whole") : fmt::format("{} / {}", what, parts);
  };
  switch (cut) {
    case Cut::whole:
      return "whole";
    case Cut::rows:
      return over("rows", plan.tp);
    case Cut::kv_rows:
      return over("K/V heads", plan.tp);
    case Cut::columns:
      return over("columns", plan.tp);
    case Cut::expert_rows:
      return over("experts", plan.ep) + ", " + over("rows", plan.expert_shards());
    case Cut::expert_columns:
      return over("experts", plan.ep) + ", " + over("columns", plan.expert_shards());
  }
  return "";
}

std::string WeightTensor::name() const {
  return layer == kNoLayer ? role : fmt::format("model.layers.{}.{}", layer, role);
}

std::int64_t WeightTensor::elements() const {
  return experts * rows() * columns();
}

Shape WeightTensor::local_shape(const ModelSpec& spec, const ParallelPlan& plan) const {
  Shape local = shape;
  switch (cut) {
    case Cut::whole:
      return local;
    case Cut::rows:
      local[0] = ceil_div(rows(), plan.tp);
      return local;
    case Cut::kv_rows:
      local[0] = rows() / spec.kv_heads * local_kv_heads(spec, plan.tp);
      return local;
    case Cut::columns:
      local[1] = columns() / plan.tp;
      return local;
    case Cut::expert_rows:
      return {experts / plan.ep, rows() / plan.expert_shards(), columns()};
    case Cut::expert_columns:
      return {experts / plan.ep, rows(), columns() / plan.expert_shards()};
  }
  return local;
}

std::uint64_t WeightTensor::local_bytes(const ModelSpec& spec, const ParallelPlan& plan) const {
  const Shape local = local_shape(spec, plan);
  std::int64_t count = 1;
  for (const std::int64_t extent : local) count *= extent;
  std::uint64_t bytes = storage_bytes(dtype, count);
  if (scales) {
    const std::size_t last = local.size() - 1;
    const std::int64_t blocks = ceil_div(local[last - 1], scales->rows) * ceil_div(local[last], scales->columns);
    bytes += static_cast<std::uint64_t>((last > 1 ? local[0] : 1) * blocks) * item_size(Dtype::f32);
  }
  return bytes;
}

std::vector<WeightTensor> layer_weights(const ModelSpec& spec, std::int64_t layer, Dtype dtype) {
  return LayerWeights(spec, layer, dtype).collect();
}

WeightTensor embedding_weight(const ModelSpec& spec, Dtype dtype) {
  return outer("model.embed_tokens.weight", {spec.vocabulary, spec.hidden}, dtype, Cut::rows);
}

WeightTensor final_norm_weight(const ModelSpec& spec, Dtype dtype) {
  return outer("model.norm.weight", {spec.hidden}, dtype, Cut::whole);
}

WeightTensor head_weight(const ModelSpec& spec, Dtype dtype) {
  if (spec.tied) return embedding_weight(spec, dtype);
  return outer("lm_head.weight", {spec.vocabulary, spec.hidden}, dtype, Cut::rows);
}

std::vector<WeightTensor> all_weights(const ModelSpec& spec, Dtype dtype) {
  std::vector<WeightTensor> tensors = {embedding_weight(spec, dtype)};
  for (std::int64_t layer = 0; layer < spec.layer_count(); ++layer) {
    for (WeightTensor& tensor : layer_weights(spec, layer, dtype)) tensors.push_back(std::move(tensor));
  }
  tensors.push_back(final_norm_weight(spec, dtype));
  if (!spec.tied) tensors.push_back(head_weight(spec, dtype));
  return tensors;
}

ParameterCount parameters(const ModelSpec& spec) {
  ParameterCount count;
  for (const WeightTensor& tensor : all_weights(spec, Dtype::bf16)) {
    count.all += tensor.elements();
    count.active += tensor.experts > 1 ? tensor.elements() / tensor.experts * spec.moe->top_k : tensor.elements();
  }
  return count;
}

}  // namespace kb::model
