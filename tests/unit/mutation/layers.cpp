// Tensor-parallel layers, MLPs and transformer blocks, computed rank by rank.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "sw/parallel/host_parts.h"
#include "sw/workloads/model_reference.h"
#include "sw/workloads/support.h"
#include "tests/unit/mutation/mutation.h"
#include "tests/unit/mutation/online_attention.h"

namespace kb::mutation {
namespace {

using sw::Activation;
using sw::Contents;
using sw::HostArray;
using sw::InitialValues;
using sw::LayerReference;
using sw::LayerValues;

const std::vector<Dtype> kFloats{Dtype::f16, Dtype::bf16, Dtype::f32};

// What goes wrong in a chain of layers: the fault is in the step with this number.
struct FaultInChain {
  std::optional<Fault> fault;
  int step = 0;
  bool at(Fault which, int number) const { return fault == which && step == number; }
};

struct Device {
  Dtype dtype;
  int ranks;
  FaultInChain fault;
  Random& random;
  int step = 0;

  bool here(Fault which) const { return fault.at(which, step); }

  Matrix linear(const Matrix& x, const LayerValues& layer, bool split_sum) {
    const Matrix w = matrix_of(layer.weight);
    const auto parts = static_cast<std::size_t>(split_sum ? ranks : 1), own = x.cols / parts;
    Matrix sum;
    for (std::size_t rank = 0; rank < parts; ++rank) {
      const ProductFault of_first{rank == 0 && here(Fault::lost_term), rank == 0 && here(Fault::stale_accumulator)};
      Matrix part = product(part_of_columns(x, rank * own, own), part_of_rows(w, rank * own, own), of_first, random);
      if (split_sum) part = rounded(part, dtype);
      if (rank == 0) {
        sum = part;
        if (!here(Fault::shard_twice)) continue;
      }
      for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += part.values[i];
      sum = rounded(sum, dtype);
    }
    if (layer.has_bias && !here(Fault::no_epilogue)) {
      const Matrix bias = matrix_of(layer.bias);
      for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += bias.values[i % sum.cols];
    }
    ++step;
    return rounded(sum, dtype);
  }

  Matrix activated(Activation activation, Matrix x) const {
    const auto sigmoid = [](float v) { return static_cast<float>(1 / (1 + std::exp(-static_cast<double>(v)))); };
    const double slope = 2 * std::sqrt(2 / std::acos(-1.0));
    for (float& v : x.values) {
      if (activation == Activation::relu) v = std::max(v, 0.0F);
      if (activation == Activation::silu) v = v * sigmoid(v);
      if (activation == Activation::gelu) {
        v = v * sigmoid(v * std::fma(v * v, static_cast<float>(0.044715 * slope), static_cast<float>(slope)));
      }
    }
    return rounded(x, dtype);
  }

  Matrix add(Matrix x, const Matrix& y) const {
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] += y.values[i];
    return rounded(x, dtype);
  }

  Matrix layer_norm(Matrix x) {
    const float per_element = static_cast<float>(1.0 / static_cast<double>(x.cols));
    for (std::size_t row = 0; row < x.rows; ++row) {
      float sum = 0, squares = here(Fault::stale_accumulator) && row == 0 ? static_cast<float>(x.cols) : 0;
      for (std::size_t i = 0; i < x.cols; ++i) sum += x.at(row, i);
      const float mean = sum * per_element;
      for (std::size_t i = 0; i < x.cols; ++i) {
        x.at(row, i) -= mean;
        squares += x.at(row, i) * x.at(row, i);
      }
      const float deviation = std::sqrt(squares * per_element + 1e-5F) * (here(Fault::wrong_scale) ? 2.0F : 1.0F);
      for (std::size_t i = 0; i < x.cols; ++i) x.at(row, i) /= deviation;
    }
    ++step;
    return rounded(x, dtype);
  }

  Matrix attention(const Matrix& qkv, const sw::AttentionShape& shape) {
    const auto d = static_cast<std::size_t>(shape.head_dim), heads = static_cast<std::size_t>(shape.heads);
    const auto kv_heads = static_cast<std::size_t>(shape.kv_heads);
    Matrix out{qkv.rows, heads * d, std::vector<float>(qkv.rows * heads * d)};
    for (std::size_t head = 0; head < heads; ++head) {
      AttentionFault its;
      if (step == fault.step && head == 0) its = {fault.fault, qkv.rows - 1, 0};
      const std::size_t k_at = (heads + head / (heads / kv_heads)) * d;
      OnlineAttention rows(dtype, qkv.rows, d, its);
      std::function<bool(std::size_t, std::size_t)> visible;
      if (shape.causal) visible = [](std::size_t row, std::size_t key) { return key <= row; };
      rows.attend(part_of_columns(qkv, head * d, d), part_of_columns(qkv, k_at, d),
                  part_of_columns(qkv, k_at + kv_heads * d, d), visible, random);
      const Matrix result = rows.result();
      for (std::size_t i = 0; i < result.values.size(); ++i) out.at(i / d, head * d + i % d) = result.values[i];
    }
    ++step;
    return rounded(out, dtype);
  }

  Matrix mlp(const Matrix& x, std::int64_t inner, const sw::MlpOptions& options) {
    const auto values = [&](std::uint64_t number, std::int64_t in, std::int64_t out) {
      return sw::layer_values(in, out, dtype, *options.seed + number, options.bias, options.values);
    };
    const auto width = static_cast<std::int64_t>(x.cols);
    Matrix h = linear(x, values(0, width, inner), false);
    if (options.activation == Activation::swiglu) {
      Matrix gate = activated(Activation::none, linear(x, values(2, width, inner), false));
      for (std::size_t i = 0; i < h.values.size(); ++i) {
        const float open = gate.values[i];
        h.values[i] = open * static_cast<float>(1 / (1 + std::exp(-static_cast<double>(open)))) * h.values[i];
      }
      h = rounded(h, dtype);
    } else {
      h = activated(options.activation, h);
    }
    return linear(h, values(1, inner, width), true);
  }
};

// Steps in which the fault has a meaning, of one layer.
bool computes(Fault fault) {
  return fault == Fault::lost_term || fault == Fault::no_epilogue || fault == Fault::stale_accumulator ||
         fault == Fault::wrong_scale || fault == Fault::shard_twice;
}

struct Model {
  Dtype dtype = Dtype::f16;
  int ranks = 2;
  HostArray x;
  LayerValues layer;
  sw::MlpOptions mlp;
  sw::TransformerOptions block;
  std::int64_t inner = 0;
};

std::shared_ptr<Model> draw_model(Random& random, Contents contents) {
  const auto model = std::make_shared<Model>();
  model->dtype = random.one_of(kFloats);
  model->ranks = static_cast<int>(random.one_of<std::int64_t>({1, 2, 4}));
  model->mlp.dtype = model->block.dtype = model->dtype;
  model->mlp.values = model->block.values = contents == Contents::real ? InitialValues::uniform : InitialValues::signs;
  model->mlp.seed = model->block.seed = random.bits();
  model->mlp.activation = model->block.activation = random.one_of<Activation>(
      {Activation::none, Activation::relu, Activation::gelu, Activation::silu, Activation::swiglu});
  return model;
}

HostArray draw_input(Random& random, Contents contents, const Shape& shape, Dtype dtype) {
  return contents == Contents::real ? HostArray::random(shape, dtype, random.bits())
                                    : sw::whole_numbers(shape, dtype, random.bits(), 2);
}

Workload one_layer(const std::string& variant, bool split_sum) {
  std::map<Fault, std::string> not_applicable{{Fault::wrong_scale, "a layer has no factor"}};
  return {"tp-layer " + variant,
          [split_sum](Random& random, Contents contents) {
            const auto model = draw_model(random, contents);
            const std::int64_t in = 16 * random.between(1, 8), out = 4 * random.between(4, 12);
            model->x = draw_input(random, contents, {random.between(4, 10), in}, model->dtype);
            model->layer = sw::layer_values(in, out, model->dtype, *model->mlp.seed, true, model->mlp.values);
            return Trial{fmt::format("{} {} x {}, {} ranks", dtype_name(model->dtype), in, out, model->ranks),
                         [model, split_sum](auto fault, Random& r) -> std::optional<HostArray> {
                           if (fault && (!computes(*fault) || (*fault == Fault::shard_twice && !split_sum)))
                             return std::nullopt;
                           Device device{model->dtype, model->ranks, {fault, 0}, r};
                           return stored(device.linear(matrix_of(model->x), model->layer, split_sum), model->dtype);
                         },
                         [model, split_sum](const HostArray& y) {
                           const LayerReference reference(model->dtype, model->ranks);
                           return reference.row("Y", y,
                                                reference.linear(sw::exact_values(model->x), model->layer.weight,
                                                                 model->layer.bias_or_null(), split_sum),
                                                "layer");
                         },
                         {&model->x, &model->layer.weight, &model->layer.bias}};
          },
          not_applicable};
}

Workload mlp() {
  Workload out{"tp-mlp",
               [](Random& random, Contents contents) {
                 const auto model = draw_model(random, contents);
                 const std::int64_t width = 8 * random.between(4, 10);
                 model->inner = 16 * random.between(4, 12);
                 model->x = draw_input(random, contents, {random.between(4, 8), width}, model->dtype);
                 return Trial{
                     fmt::format("{} {} x {}, activation {}, {} ranks", dtype_name(model->dtype), width, model->inner,
                                 static_cast<int>(model->mlp.activation), model->ranks),
                     [model](auto fault, Random& r) -> std::optional<HostArray> {
                       if (fault && !computes(*fault)) return std::nullopt;
                       const int last = model->mlp.activation == Activation::swiglu ? 2 : 1;
                       const int step = fault == Fault::shard_twice ? last : static_cast<int>(r.between(0, 1)) * last;
                       Device device{model->dtype, model->ranks, {fault, step}, r};
                       return stored(device.mlp(matrix_of(model->x), model->inner, model->mlp), model->dtype);
                     },
                     [model](const HostArray& y) {
                       const LayerReference reference(model->dtype, model->ranks);
                       return reference.row(
                           "Y", y, sw::expected_mlp(reference, sw::exact_values(model->x), model->inner, model->mlp),
                           "layer, function, layer");
                     },
                     {&model->x}};
               },
               {{Fault::wrong_scale, "a layer has no factor"}}};
  out.masks = true;
  return out;
}

Matrix block_of(const Model& model, FaultInChain fault, Random& random) {
  const sw::TransformerOptions& o = model.block;
  Device device{model.dtype, model.ranks, fault, random};
  const LayerValues qkv =
      sw::layer_values(o.width, (o.heads + 2 * o.kv_heads) * o.head_dim, o.dtype, *o.seed, o.bias, o.values);
  const LayerValues projection =
      sw::layer_values(o.heads * o.head_dim, o.width, o.dtype, *o.seed + 1, o.bias, o.values);
  sw::MlpOptions options = model.mlp;
  options.seed = *o.seed + 2;
  const Matrix x = matrix_of(model.x);
  const Matrix normed = device.layer_norm(x);                                                        // step 0
  const Matrix projected = device.linear(normed, qkv, false);                                        // 1
  const Matrix attended = device.attention(projected, {o.heads, o.kv_heads, o.head_dim, o.causal});  // 2
  const Matrix h = device.add(x, device.linear(attended, projection, true));                         // 3
  const Matrix again = device.layer_norm(h);                                                         // 4
  return device.add(h, device.mlp(again, o.inner, options));                                         // 5 ..
}

Workload block() {
  Workload out{"tp-transformer-block",
               [](Random& random, Contents contents) {
                 const auto model = draw_model(random, contents);
                 sw::TransformerOptions& o = model->block;
                 o.heads = 4 * random.between(1, 2);
                 o.kv_heads = random.one_of<std::int64_t>({4, o.heads});
                 o.head_dim = 8 * random.between(1, 3);
                 o.width = 16 * random.between(2, 4);
                 o.inner = 16 * random.between(4, 8);
                 o.causal = random.between(0, 1) == 1;
                 const Shape shape{random.between(6, 12), o.width};
                 model->x = contents == Contents::real ? HostArray::random(shape, model->dtype, random.bits())
                                                       : sw::balanced_signs(shape, model->dtype, random.bits());
                 return Trial{fmt::format("{} {} x {}, {} of {} heads of {}, inner {}, activation {}, {} ranks",
                                          dtype_name(model->dtype), shape[0], o.width, o.kv_heads, o.heads, o.head_dim,
                                          o.inner, static_cast<int>(o.activation), model->ranks),
                              [model](auto fault, Random& r) -> std::optional<HostArray> {
                                if (fault && !computes(*fault)) return std::nullopt;
                                const int last = model->mlp.activation == Activation::swiglu ? 7 : 6;
                                int step = r.one_of<int>({1, 2, 3, 5, last});
                                if (fault == Fault::wrong_scale) step = r.one_of<int>({0, 2, 4});
                                if (fault == Fault::shard_twice) step = r.one_of<int>({3, last});
                                return stored(block_of(*model, {fault, step}, r), model->dtype);
                              },
                              [model](const HostArray& y) {
                                const LayerReference reference(model->dtype, model->ranks);
                                return reference.row(
                                    "Y", y, sw::expected_block(reference, sw::exact_values(model->x), model->block),
                                    "norm, attention, norm, MLP");
                              },
                              {&model->x}};
               },
               {}};
  out.masks = true;
  return out;
}

// The fault is in the sum over the rows of the table, of which one has the id.
Workload embedding() {
  return {"tp-layer embedding",
          [](Random& random, Contents) {
            const auto model = draw_model(random, Contents::real);
            const std::int64_t rows = random.between(10, 40), width = 4 * random.between(4, 12);
            model->x = HostArray::random({rows, width}, model->dtype, random.bits());
            const std::int64_t tokens = random.between(5, 30);
            const auto right = std::make_shared<HostArray>(Shape{tokens, width}, model->dtype);
            std::vector<double> values;
            for (std::int64_t i = 0; i < tokens; ++i) {
              const auto row = sw::rows_of(model->x, rows - 1 - i % rows, 1).to_doubles();
              values.insert(values.end(), row.begin(), row.end());
            }
            *right = HostArray::from_doubles(right->shape(), model->dtype, values);
            return Trial{fmt::format("{} {} x {}", dtype_name(model->dtype), rows, width),
                         [right](auto fault, Random& r) -> std::optional<HostArray> {
                           if (!fault) return *right;
                           if (*fault != Fault::lost_term && *fault != Fault::stale_accumulator) return std::nullopt;
                           Matrix out = matrix_of(*right);
                           float& value = out.values[r.bits() % out.values.size()];
                           value = *fault == Fault::lost_term ? 0 : value + 1;
                           return stored(out, right->dtype());
                         },
                         [right](const HostArray& y) { return sw::exact_row("Y", y, *right); },
                         {right.get()}};
          },
          {{Fault::no_epilogue, "an embedding has no bias"}, {Fault::wrong_scale, "there is no factor"}}};
}

}  // namespace

std::vector<Workload> layer_workloads() {
  return {one_layer("column", false),
          one_layer("column_gather", false),
          one_layer("row", true),
          one_layer("row_scatter", true),
          embedding(),
          mlp(),
          block()};
}

}  // namespace kb::mutation
