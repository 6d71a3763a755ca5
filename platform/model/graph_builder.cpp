#include "platform/model/graph_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/base/checked.h"
#include "platform/base/error.h"
#include "platform/ops/math_op.h"

namespace kb::model {

double passes(std::initializer_list<MathOp> ops) {
  double sum = 0;
  for (const MathOp op : ops) sum += static_cast<double>(math_passes(op).size());
  return sum;
}

std::uint64_t others_part(std::uint64_t bytes, std::int64_t parts) {
  const auto count = static_cast<std::uint64_t>(parts);
  return bytes / count * (count - 1) + bytes % count * (count - 1) / count;
}

std::size_t GraphBuilder::tensor(GraphTensor tensor) {
  graph_.tensors.push_back(std::move(tensor));
  return graph_.tensors.size() - 1;
}

std::size_t GraphBuilder::activation(const std::string& role, Shape shape, TensorKind kind) {
  GraphTensor made;
  made.role = role;
  made.name = layer_ == kNoLayer ? role : fmt::format("layers.{}.{}", layer_, role);
  made.layer = layer_;
  made.kind = kind;
  made.dtype = kind == TensorKind::index ? Dtype::i32 : graph_.dtype;
  made.bytes = static_cast<std::uint64_t>(element_count(shape)) * item_size(made.dtype);
  made.shape = std::move(shape);
  return tensor(std::move(made));
}

std::size_t GraphBuilder::weight(const WeightTensor& weight) {
  GraphTensor made;
  made.name = weight.name();
  if (weight.layer == kNoLayer) {  // a tied embedding is there already
    const std::size_t known = graph_.index_of(made.name);
    if (known < graph_.tensors.size()) return known;
  }
  made.role = weight.role;
  made.layer = weight.layer;
  made.kind = TensorKind::weight;
  made.dtype = weight.dtype;
  made.shape = weight.local_shape(spec_, plan_);
  made.bytes = weight.local_bytes(spec_, plan_);
  made.cut = cut_text(weight.cut, plan_);
  return tensor(std::move(made));
}

std::size_t GraphBuilder::weight(const std::string& role) {
  const auto found =
      std::find_if(weights_.begin(), weights_.end(), [&role](const WeightTensor& one) { return one.role == role; });
  if (found == weights_.end()) throw Error::model("a layer has no weight '" + role + "'");
  return weight(*found);
}

std::size_t GraphBuilder::cache(const std::string& role, std::int64_t tokens, Shape per_token, const std::string& cut) {
  Shape shape = {tokens};
  shape.insert(shape.end(), per_token.begin(), per_token.end());
  const std::size_t made = activation(role, std::move(shape), TensorKind::cache);
  graph_.tensors[made].cut = cut;
  return made;
}

GraphOp& GraphBuilder::op(OpKind kind, const std::string& name, Indices inputs, Indices outputs, Indices weights) {
  GraphOp made;
  made.kind = kind;
  made.name = name;
  made.layer = layer_;
  const auto moves = [this](std::size_t index) {
    const TensorKind moved = graph_.tensors[index].kind;
    return moved == TensorKind::activation || moved == TensorKind::index ? bytes(index) : 0;
  };
  for (const std::size_t input : inputs) made.work.activation_bytes += moves(input);
  for (const std::size_t output : outputs) made.work.activation_bytes += moves(output);
  for (const std::size_t one : weights) made.work.weight_bytes += bytes(one);
  made.inputs = std::move(inputs);
  made.outputs = std::move(outputs);
  made.weights = std::move(weights);
  return graph_.ops.emplace_back(std::move(made));
}

std::size_t GraphBuilder::linear(const std::string& name, std::size_t input, const std::vector<std::string>& roles,
                                 const std::string& output) {
  Indices weights;
  std::int64_t columns = 0, inner = 0;
  for (const std::string& role : roles) {
    const std::string bias = role + ".bias";
    const bool biased =
        std::any_of(weights_.begin(), weights_.end(), [&bias](const WeightTensor& one) { return one.role == bias; });
    if (biased) weights.push_back(weight(bias));
    weights.push_back(weight(role + ".weight"));
    columns += graph_.tensors[weights.back()].shape[0];
    inner = graph_.tensors[weights.back()].shape[1];
  }
  const std::int64_t rows = graph_.tensors[input].shape[0];
  const std::size_t result = activation(output, {rows, columns});
  GraphOp& made = op(OpKind::linear, name, {input}, {result}, std::move(weights));
  made.numbers = {{"rows", rows}, {"inner", inner}, {"columns", columns}};
  made.work.macs = static_cast<double>(rows) * static_cast<double>(inner) * static_cast<double>(columns);
  return result;
}

void GraphBuilder::norm(const std::string& name, std::size_t weight, std::int64_t rows) {
  const std::size_t normed = activation(name + ".out", {rows, spec_.hidden});
  Indices inputs = {residual_}, outputs = {normed};
  double ops = passes({MathOp::mul, MathOp::sum, MathOp::mul, MathOp::mul});  // square, sum, scale, weight
  if (delta_) {
    inputs.push_back(*delta_);
    if (rows == tokens()) outputs.push_back(residual_);
    ops += passes({MathOp::add});
  }
  GraphOp& made = op(OpKind::norm, name, std::move(inputs), std::move(outputs), {weight});
  made.numbers = {{"rows", rows}, {"columns", spec_.hidden}, {"adds", delta_ ? 1 : 0}};
  made.work.element_ops = ops * static_cast<double>(rows) * static_cast<double>(spec_.hidden);
  if (rows < tokens()) made.work.activation_bytes = (made.inputs.size() + 1) * bytes(normed);
  delta_.reset();
  normed_ = normed;
}

std::size_t GraphBuilder::plain_norm(const std::string& name, std::size_t input, const std::string& role,
                                     std::int64_t width) {
  const std::size_t normed = activation(name + ".out", graph_.tensors[input].shape);
  GraphOp& made = op(OpKind::norm, name, {input}, {normed}, {weight(role)});
  made.numbers = {{"rows", tokens()}, {"columns", width}, {"adds", 0}};
  made.work.element_ops = passes({MathOp::mul, MathOp::sum, MathOp::mul, MathOp::mul}) * static_cast<double>(tokens()) *
                          static_cast<double>(width);
  return normed;
}

void GraphBuilder::all_reduce(std::size_t tensor, const std::string& name) {
  if (plan_.tp == 1) return;
  GraphOp& made = op(OpKind::all_reduce, name, {tensor}, {tensor});
  made.numbers = {{"ranks", plan_.tp}, {"elements", element_count(graph_.tensors[tensor].shape)}};
  made.work.link_bytes = 2 * others_part(bytes(tensor), plan_.tp);
}

void GraphBuilder::embed() {
  const std::size_t table = weight(embedding_weight(spec_, graph_.dtype));
  const std::size_t ids = activation("token_ids", {tokens()}, TensorKind::index);
  residual_ = activation("residual", {tokens(), spec_.hidden});
  GraphOp& made = op(OpKind::embed, "embed", {ids}, {residual_}, {table});
  made.numbers = {{"rows", tokens()}, {"columns", spec_.hidden}};
  // Rows that lie on this SIP, at least one.
  made.work.weight_bytes =
      static_cast<std::uint64_t>(ceil_div(tokens(), plan_.tp) * spec_.hidden) * item_size(graph_.dtype);
  all_reduce(residual_, "embed.all_reduce");
}

void GraphBuilder::receive() {
  residual_ = activation("residual", {tokens(), spec_.hidden});
  op(OpKind::receive, "receive", {}, {residual_}).numbers = {{"elements", tokens() * spec_.hidden}};
}

void GraphBuilder::send() {
  layer_ = kNoLayer;
  Indices inputs = {residual_};
  if (delta_) inputs.push_back(*delta_);
  GraphOp& made = op(OpKind::send, "send", std::move(inputs), {});
  made.numbers = {{"elements", tokens() * spec_.hidden}, {"adds", delta_ ? 1 : 0}};
  made.work.link_bytes = bytes(residual_);
}

void GraphBuilder::layer(std::int64_t layer) {
  layer_ = layer;
  weights_ = layer_weights(spec_, layer, graph_.dtype);
  norm("input_norm", weight("input_layernorm.weight"), tokens());
  if (spec_.mla) {
    latent_attention(*spec_.mla);
  } else {
    attention();
  }
  norm("mlp_norm", weight("post_attention_layernorm.weight"), tokens());
  if (spec_.layers[static_cast<std::size_t>(layer)].moe) {
    experts(*spec_.moe);
  } else {
    delta_ = mlp("mlp", "", spec_.mlp_width / plan_.tp);
    all_reduce(*delta_, "mlp.all_reduce");
  }
}

void GraphBuilder::head() {
  layer_ = kNoLayer;
  const std::int64_t rows = batch_.size();  // the last token of each sequence
  norm("final_norm", weight(final_norm_weight(spec_, graph_.dtype)), rows);
  const std::size_t table = weight(head_weight(spec_, graph_.dtype));
  const std::int64_t columns = graph_.tensors[table].shape[0];
  const std::size_t logits = activation("logits", {rows, columns});
  const std::size_t best = activation("best", {rows, 2}, TensorKind::index);  // value and index
  GraphOp& made = op(OpKind::head, "head", {normed_}, {logits, best}, {table});
  made.numbers = {{"rows", rows}, {"inner", spec_.hidden}, {"columns", columns}};
  const double outputs = static_cast<double>(rows) * static_cast<double>(columns);
  made.work.macs = outputs * static_cast<double>(spec_.hidden);
  made.work.element_ops = outputs * passes({MathOp::argmax});
  if (plan_.tp == 1) return;
  GraphOp& gather = op(OpKind::all_gather, "head.all_gather", {best}, {best});
  gather.numbers = {{"ranks", plan_.tp}, {"elements", 2 * rows}};
  gather.work.link_bytes = bytes(best) * static_cast<std::uint64_t>(plan_.tp - 1);
}

}  // namespace kb::model
