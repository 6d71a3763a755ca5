#include <algorithm>

#include "platform/base/checked.h"
#include "platform/model/graph_builder.h"

namespace kb::model {

// `width`: on this SIP.
std::size_t GraphBuilder::mlp(const std::string& role, const std::string& label, std::int64_t width) {
  const std::size_t both =
      linear(label + "gate_up", normed_, {role + ".gate_proj", role + ".up_proj"}, label + "gate_up");
  const std::size_t gated = activation(label + "gated", {tokens(), width});
  GraphOp& made = op(OpKind::swiglu, label + "swiglu", {both}, {gated});
  made.numbers = {{"rows", tokens()}, {"columns", width}};
  made.work.element_ops =
      passes({MathOp::silu, MathOp::mul}) * static_cast<double>(tokens()) * static_cast<double>(width);
  return linear(label + "down", gated, {role + ".down_proj"}, label + "mlp_delta");
}

std::size_t GraphBuilder::route(const MoeSpec& moe, const std::string& block) {
  Indices weights = {weight(block + ".gate.weight")};
  if (moe.router == RouterKind::sigmoid_bias) weights.push_back(weight(block + ".gate.e_score_correction_bias"));
  // Expert and weight of each choice lie side by side.
  const std::size_t choice = activation("choice", {tokens(), 2 * moe.top_k}, TensorKind::index);
  GraphOp& made = op(OpKind::route, "route", {normed_}, {choice}, std::move(weights));
  made.numbers = {{"rows", tokens()},   {"inner", spec_.hidden}, {"experts", moe.experts},
                  {"top_k", moe.top_k}, {"groups", moe.groups},  {"top_groups", moe.top_groups}};
  const double scores = static_cast<double>(tokens()) * static_cast<double>(moe.experts);
  made.work.macs = scores * static_cast<double>(spec_.hidden);
  const double scoring =
      moe.router == RouterKind::softmax ? passes({MathOp::softmax}) : passes({MathOp::sigmoid, MathOp::add});
  made.work.element_ops = scores * (scoring + static_cast<double>(moe.top_k) * passes({MathOp::topk}));
  return choice;
}

void GraphBuilder::experts(const MoeSpec& moe) {
  const std::string block = spec_.family == "mixtral" ? "block_sparse_moe" : "mlp";
  const std::size_t choice = route(moe, block);
  std::optional<std::size_t> shared;
  if (moe.shared_width > 0) shared = mlp(block + ".shared_experts", "shared_", moe.shared_width / plan_.tp);

  // Every copy of the model brings as many tokens; each choice is a row.
  const std::int64_t choices = plan_.dp * tokens() * moe.top_k;
  const std::int64_t rows = ceil_div(choices, plan_.ep), width = moe.width / plan_.expert_shards();
  const std::int64_t local = moe.experts / plan_.ep;
  const std::int64_t used = ceil_div(std::min(moe.experts, choices), plan_.ep);
  std::size_t input = normed_;
  const auto exchange = [&](const char* name, std::size_t from, const char* output) {
    const std::size_t to = activation(output, {rows, spec_.hidden});
    GraphOp& made = op(OpKind::all_to_all, name, {from, choice}, {to});
    made.numbers = {{"ranks", plan_.expert_group()}, {"rows", rows}, {"columns", spec_.hidden}};
    made.work.link_bytes = others_part(bytes(to), plan_.expert_group());
    return to;
  };
  if (plan_.dp > 1) input = exchange("dispatch", normed_, "dispatched");

  const bool mixtral = spec_.family == "mixtral";
  const auto expert = [&](const char* own, const char* of_mixtral) {
    return weight(block + ".experts.*." + (mixtral ? of_mixtral : own) + ".weight");
  };
  std::size_t result = activation("expert_rows", {rows, spec_.hidden});
  GraphOp& made = op(OpKind::experts, "experts", {input, choice}, {result},
                     {expert("gate_proj", "w1"), expert("up_proj", "w3"), expert("down_proj", "w2")});
  made.numbers = {
      {"rows", rows}, {"inner", spec_.hidden}, {"columns", width}, {"experts", local}, {"experts_used", used}};
  made.work.weight_bytes =
      made.work.weight_bytes / static_cast<std::uint64_t>(local) * static_cast<std::uint64_t>(used);
  made.work.macs = 3 * static_cast<double>(rows) * static_cast<double>(spec_.hidden) * static_cast<double>(width);
  made.work.element_ops = passes({MathOp::silu, MathOp::mul}) * static_cast<double>(rows) * static_cast<double>(width);
  if (plan_.dp > 1) result = exchange("return", result, "returned");

  Indices inputs = {result, choice};
  if (shared) inputs.push_back(*shared);
  delta_ = activation("mlp_delta", {tokens(), spec_.hidden});
  GraphOp& sum = op(OpKind::combine, "combine", std::move(inputs), {*delta_});
  sum.numbers = {{"rows", rows}, {"tokens", tokens()}, {"columns", spec_.hidden}, {"adds", shared ? 1 : 0}};
  sum.work.element_ops = passes({MathOp::fma}) * static_cast<double>(rows) * static_cast<double>(spec_.hidden);
  all_reduce(*delta_, "mlp.all_reduce");
}

}  // namespace kb::model
