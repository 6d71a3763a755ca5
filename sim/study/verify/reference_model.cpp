#include "sim/study/verify/reference_model.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kb::verify {
namespace {

std::string layer_name(std::int64_t layer) {
  return "model.layers." + std::to_string(layer) + ".";
}

// x / sqrt(mean of the squares + eps) * weight, of `count` numbers.
void normalize(double* x, const double* weight, std::size_t count, double eps) {
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i) squares += x[i] * x[i];
  const double scale = 1 / std::sqrt(squares / static_cast<double>(count) + eps);
  for (std::size_t i = 0; i < count; ++i) x[i] = x[i] * scale * weight[i];
}

void add_to(std::vector<double>& sum, const std::vector<double>& x) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += x[i];
}

std::vector<double> times(const std::vector<double>& matrix, const std::vector<double>& x) {
  std::vector<double> y(matrix.size() / x.size());
  for (std::size_t row = 0; row < y.size(); ++row) {
    for (std::size_t i = 0; i < x.size(); ++i) y[row] += matrix[row * x.size() + i] * x[i];
  }
  return y;
}

}  // namespace

std::int64_t largest(const std::vector<double>& logits) {
  return std::max_element(logits.begin(), logits.end()) - logits.begin();
}

ReferenceModel::Vector ReferenceModel::product(const std::string& name, const Vector& x, bool bias) const {
  Vector y = times(weights_.at(name + ".weight"), x);
  if (bias) add_to(y, weights_.at(name + ".bias"));
  return y;
}

ReferenceModel::Vector ReferenceModel::normalized(const Vector& x, const std::string& weight) const {
  Vector y = x;
  normalize(y.data(), weights_.at(weight).data(), y.size(), spec_.norm_eps);
  return y;
}

void ReferenceModel::prepare_heads(Vector& heads, const std::string& norm, std::int64_t position) const {
  const auto dim = static_cast<std::size_t>(spec_.head_dim);
  for (std::size_t first = 0; first < heads.size(); first += dim) {
    if (spec_.qk_norm) normalize(&heads[first], weights_.at(norm).data(), dim, spec_.norm_eps);
    rope_.turn(&heads[first], position);
  }
}

ReferenceModel::Vector ReferenceModel::attention(const Vector& queries, const LayerCache& cache, std::int64_t position,
                                                 std::int64_t window) const {
  const auto dim = static_cast<std::size_t>(spec_.head_dim), heads = static_cast<std::size_t>(spec_.heads),
             kv_heads = static_cast<std::size_t>(spec_.kv_heads);
  const std::size_t last = static_cast<std::size_t>(position) + 1;
  const std::size_t first = window > 0 && position + 1 > window ? static_cast<std::size_t>(position + 1 - window) : 0;
  Vector out(heads * dim);
  for (std::size_t head = 0; head < heads; ++head) {
    const std::size_t kv_head = head / (heads / kv_heads);
    const auto place = [&](std::size_t token) { return (token * kv_heads + kv_head) * dim; };
    Vector scores;
    for (std::size_t token = first; token < last; ++token) {
      double dot = 0;
      for (std::size_t i = 0; i < dim; ++i) dot += queries[head * dim + i] * cache.k[place(token) + i];
      scores.push_back(dot / std::sqrt(static_cast<double>(dim)));
    }
    const double highest = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (double& score : scores) sum += score = std::exp(score - highest);
    for (std::size_t token = first; token < last; ++token) {
      const double share = scores[token - first] / sum;
      for (std::size_t i = 0; i < dim; ++i) out[head * dim + i] += share * cache.v[place(token) + i];
    }
  }
  return out;
}

ReferenceModel::Vector ReferenceModel::attention_block(const Vector& x, std::int64_t layer, LayerCache& cache,
                                                       std::int64_t position) const {
  const std::string name = layer_name(layer) + "self_attn.";
  const Vector input = normalized(x, layer_name(layer) + "input_layernorm.weight");
  Vector q = product(name + "q_proj", input, spec_.qkv_bias), k = product(name + "k_proj", input, spec_.qkv_bias);
  const Vector v = product(name + "v_proj", input, spec_.qkv_bias);
  prepare_heads(q, name + "q_norm.weight", position);
  prepare_heads(k, name + "k_norm.weight", position);
  cache.k.insert(cache.k.end(), k.begin(), k.end());
  cache.v.insert(cache.v.end(), v.begin(), v.end());
  const std::int64_t window = spec_.layers[static_cast<std::size_t>(layer)].window;
  return product(name + "o_proj", attention(q, cache, position, window), spec_.o_bias);
}

ReferenceModel::Vector ReferenceModel::mlp_block(const Vector& x, std::int64_t layer) const {
  const std::string name = layer_name(layer) + "mlp.";
  const Vector input = normalized(x, layer_name(layer) + "post_attention_layernorm.weight");
  Vector gate = product(name + "gate_proj", input, spec_.mlp_bias);
  const Vector up = product(name + "up_proj", input, spec_.mlp_bias);
  for (std::size_t i = 0; i < gate.size(); ++i) gate[i] = gate[i] / (1 + std::exp(-gate[i])) * up[i];
  return product(name + "down_proj", gate, spec_.mlp_bias);
}

std::vector<double> ReferenceModel::append(Sequence& sequence, std::int64_t token) const {
  sequence.layers.resize(spec_.layers.size());
  const std::vector<double>& embedding = weights_.at("model.embed_tokens.weight");
  const auto row = embedding.begin() + token * spec_.hidden;
  Vector x(row, row + spec_.hidden);
  for (std::int64_t layer = 0; layer < spec_.layer_count(); ++layer) {
    add_to(x, attention_block(x, layer, sequence.layers[static_cast<std::size_t>(layer)], sequence.tokens));
    add_to(x, mlp_block(x, layer));
  }
  ++sequence.tokens;
  return times(spec_.tied ? embedding : weights_.at("lm_head.weight"), normalized(x, "model.norm.weight"));
}

}  // namespace kb::verify
