#include "sw/model/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/even_parts.h"
#include "platform/contract/norm_linear.h"
#include "platform/model/rope_frequencies.h"
#include "sw/model/place_program.h"
#include "sw/model/program_builder.h"
#include "sw/model/require_kernels.h"
#include "sw/model/step_inputs.h"

namespace kb::sw {
namespace {

using model::GraphOp;
using model::OpKind;

constexpr std::int64_t kFewTokens = 8;  // for which a norm and the product behind it are always one launch

class Lowering : private ProgramBuilder {
 public:
  explicit Lowering(const LoweringInput& input)
      : ProgramBuilder(input.graph, input.geometry),
        input_(input),
        inputs_(step_inputs(input.batch, cubes_, pes_, input.room)) {}

  Program run() {
    program_.ranks = input_.plan.tp;
    for (at_ = 0; at_ < ops().size(); ++at_) lower_op(ops()[at_]);
    place_partials(partials_);
    place_partials(head_partials_);
    place_program(program_, input_.geometry, input_.resident);
    return std::move(program_);
  }

 private:
  // A norm that the next product does with its input.
  struct Norm {
    std::size_t gamma = 0;
    std::optional<std::size_t> residual, x;  // what is added up
    bool stores = false;                     // the sum is the new residual
  };

  const std::vector<GraphOp>& ops() const { return input_.graph.ops; }
  std::int64_t tokens() const { return input_.batch.tokens(); }

  void lower_op(const GraphOp& op) {
    layer_ = op.layer;
    pending_ops_.push_back(at_);
    switch (op.kind) {
      case OpKind::embed:
        return embed(op);
      case OpKind::norm:
        return norm(op);
      case OpKind::linear:
        return linear(op);
      case OpKind::head_norm:
        head_norm_ = &op;
        return;
      case OpKind::rope:
        return;
      case OpKind::append:
        return append(op);
      case OpKind::attend:
        return attend(op);
      case OpKind::head:
        return head(op);
      case OpKind::all_reduce:
        return all_reduce(op);
      case OpKind::all_gather:
        pending_ops_.clear();
        return;  // the host reads the best of every SIP
      default:
        throw Error::model(fmt::format("no kernel does '{}'", model::op_kind_name(op.kind)));
    }
  }

  void embed(const GraphOp& op) {
    const std::size_t table = weight("embedding", {op.weights[0]}, Spread::outputs);
    program_.ids = numbers("ids", inputs_.ids(input_.spec.vocabulary), Spread::whole);
    const std::size_t out = activation("embedded", {tokens(), input_.spec.hidden}, Spread::tile);
    // Rows of the table on the SIPs before this one.
    launch("embedding_rows", op.name,
           {{"ids", TensorRef{program_.ids}},
            {"table", TensorRef{table}},
            {"out", TensorRef{out}},
            {"first", RankMultiple{program_.tensors[table].shape[0]}}});
    of_graph_[op.outputs[0]] = out;
    embedded_ = out;
  }

  void norm(const GraphOp& op) {
    Norm made;
    made.gamma = weight(op.name + ".weight", {op.weights[0]}, Spread::copy);
    made.residual = residual_;
    if (op.inputs.size() > 1) made.x = of_graph_.at(op.inputs[1]);
    if (!residual_) made.x = embedded_;
    made.stores = made.x.has_value();
    if (rows_apart() && ops()[at_ + 1].kind != OpKind::head) return norm_apart(op, made);
    norm_ = made;
  }

  // With several blocks of rows each cube would read the residual stream again, and normalise all of it, block by
  // block: then the norm is a launch of its own, in which a PE does so with what it owns of a single stream.
  // One launch has partial sums of 8 m bytes for each output of a PE, which reads 2 h / P bytes of W for it: at most a
  // quarter of them, for m tokens of width h and P PEs of a cube.
  bool rows_apart() const { return tokens() > std::max(kFewTokens, input_.spec.hidden / (16 * pes_)); }

  void norm_apart(const GraphOp& op, const Norm& norm) {
    const std::size_t y = activation(tensor(op.outputs[0]).role, tensor(op.outputs[0]).shape, Spread::tile);
    of_graph_[op.outputs[0]] = y;
    const std::size_t squares = activation("squares", {cubes_, tokens()}, Spread::rows, Dtype::f32);
    std::vector<ProgramArg> args{{"x", TensorRef{norm.x ? *norm.x : norm.residual.value()}},
                                 {"gamma", TensorRef{norm.gamma}},
                                 {"y", TensorRef{y}},
                                 {"squares", TensorRef{squares}},
                                 {"eps", input_.spec.norm_eps}};
    if (norm.stores) {
      if (norm.residual) args.push_back({"residual", TensorRef{*norm.residual}});
      args.push_back({"residual_out", TensorRef{residual()}});
    }
    launch("residual_norm", op.name, std::move(args));
  }

  // The residual stream, which is made when it is first stored.
  std::size_t residual() {
    if (!residual_) {
      const std::int64_t layer = std::exchange(layer_, -1);
      residual_ = activation("residual", {tokens(), input_.spec.hidden}, rows_apart() ? Spread::tile : Spread::copy);
      layer_ = layer;
    }
    return *residual_;
  }

  // Whether the product's output is only used by the SwiGLU behind it.
  const GraphOp* swiglu_behind(const GraphOp& op) const {
    const bool there = at_ + 1 < ops().size() && ops()[at_ + 1].kind == OpKind::swiglu;
    return there && ops()[at_ + 1].inputs[0] == op.outputs[0] ? &ops()[at_ + 1] : nullptr;
  }

  void linear(const GraphOp& op) {
    Indices matrices, biases;
    for (const std::size_t index : op.weights) (tensor(index).shape.size() > 1 ? matrices : biases).push_back(index);
    const GraphOp* const swiglu = swiglu_behind(op);
    if (swiglu != nullptr && !biases.empty()) return biased_gate_and_up(op, matrices, biases);
    const std::size_t result = swiglu != nullptr ? swiglu->outputs[0] : op.outputs[0];
    std::vector<ProgramArg> args;
    if (swiglu != nullptr) {
      args.push_back({"w", TensorRef{weight("gate.weight", {matrices[0]}, Spread::outputs)}});
      args.push_back({"w2", TensorRef{weight("up.weight", {matrices[1]}, Spread::outputs)}});
      pending_ops_.push_back(++at_);
    } else {
      args.push_back({"w", TensorRef{weight(op.name + ".weight", matrices, Spread::outputs)}});
    }
    if (!biases.empty()) args.push_back({"bias", TensorRef{weight(op.name + ".bias", biases, Spread::tile)}});
    const std::size_t y = activation(tensor(result).role, tensor(result).shape, Spread::tile);
    of_graph_[result] = y;
    product(op.name, y, swiglu != nullptr, std::move(args),
            norm_ ? std::nullopt : std::optional<std::size_t>(of_graph_.at(op.inputs[0])));
  }

  // norm_linear has either a bias or a gate: two products, and the gate by itself.
  void biased_gate_and_up(const GraphOp& op, const Indices& matrices, const Indices& biases) {
    const GraphOp& swiglu = ops()[at_ + 1];
    const Shape shape = tensor(swiglu.outputs[0]).shape;
    const std::optional<Norm> norm = norm_;
    std::optional<std::size_t> x;
    if (!norm) x = of_graph_.at(op.inputs[0]);
    std::size_t factors[2] = {};
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string name = i == 0 ? "gate" : "up";
      factors[i] = activation(name, shape, Spread::tile);
      // The first product has stored the sum.
      if (i == 1 && norm) norm_ = Norm{norm->gamma, residual_, std::nullopt, false};
      product(name, factors[i], false,
              {{"w", TensorRef{weight(name + ".weight", {matrices[i]}, Spread::outputs)}},
               {"bias", TensorRef{weight(name + ".bias", {biases[i]}, Spread::tile)}}},
              x);
    }
    pending_ops_.push_back(++at_);
    const std::size_t out = activation(tensor(swiglu.outputs[0]).role, shape, Spread::tile);
    of_graph_[swiglu.outputs[0]] = out;
    launch("pointwise", "swiglu",
           {{"function", std::string("swiglu")},
            {"x", TensorRef{factors[0]}},
            {"out", TensorRef{out}},
            {"y", TensorRef{factors[1]}}});
  }

  // y = f(x W^T), with the norm before it; `args` has the weights, W first.
  void product(const std::string& name, std::size_t y, bool gated, std::vector<ProgramArg> args,
               std::optional<std::size_t> x) {
    const bool normed = norm_.has_value();
    const ProgramTensor& w = program_.tensors[std::get<TensorRef>(args.front().value).index];
    contract::NormLinearShape shape;
    shape.rows = program_.tensors[y].shape[0];
    shape.outputs = w.shape[0];
    shape.gates = gated ? 2 : 1;
    shape.cubes = cubes_;
    shape.pes = pes_;
    shape.norm = normed;
    shape.stores_copy = normed && norm_->stores;
    shape.row_bytes = EvenParts(w.shape[1], pes_).largest() * static_cast<std::int64_t>(item_size(w.dtype));
    args.push_back({"y", TensorRef{y}});
    args.push_back({"partials", TensorRef{partials(shape)}});
    if (x) args.push_back({"x", TensorRef{*x}});
    if (normed) {
      const Norm norm = *std::exchange(norm_, std::nullopt);
      if (norm.residual) args.push_back({"residual", TensorRef{*norm.residual}});
      if (norm.x) args.push_back({"x", TensorRef{*norm.x}});
      args.push_back({"gamma", TensorRef{norm.gamma}});
      args.push_back({"eps", input_.spec.norm_eps});
      if (norm.stores) args.push_back({"residual_out", TensorRef{residual()}});
    }
    launch("norm_linear", name, std::move(args));
  }

  // Room for the partial sums of the PEs of a cube, a row each. All products of layers use the same; the head, which
  // has many more outputs, would drive theirs out of the TCM.
  std::size_t partials(const contract::NormLinearShape& shape) {
    const std::int64_t numbers = shape.partials();
    const bool of_head = ops()[at_].kind == OpKind::head;
    std::optional<std::size_t>& its = of_head ? head_partials_ : partials_;
    if (!its) {
      const std::int64_t layer = std::exchange(layer_, -1);
      its = activation(of_head ? "partials.head" : "partials", {cubes_ * pes_, numbers}, Spread::rows, Dtype::f32);
      layer_ = layer;
    }
    std::int64_t& room = program_.tensors[*its].shape[1];
    room = std::max(room, numbers);
    return *its;
  }

  void append(const GraphOp& op) {
    const model::ModelSpec& spec = input_.spec;
    const std::int64_t heads = spec.heads / input_.plan.tp, kv_heads = op.numbers.at("kv_heads"), d = spec.head_dim;
    const Shape blocks{inputs_.cache().blocks, inputs_.cache().page, kv_heads, d};
    const auto cache = [&](const char* role) {
      ProgramTensor tensor = made(role, layer_, blocks, input_.graph.dtype, Spread::rows);
      tensor.cache = true;
      return add_kept(std::move(tensor));
    };
    k_cache_ = cache("cache.k");
    v_cache_ = cache("cache.v");
    // Every cube attends with the queries of decode, one PE with those of a piece of a chunk, which lie there.
    if (inputs_.decodes() > 0) query_ = activation("query", {heads, tokens(), d}, Spread::heads);
    if (inputs_.chunks() > 0) {
      const Shape rows{cubes_ * pes_, inputs_.chunk_query_rows(heads, kv_heads), d};
      chunk_query_ = activation("query.chunks", rows, Spread::rows);
    }
    if (!inverse_frequencies_) inverse_frequencies_ = inverse_frequencies();
    std::vector<ProgramArg> args{{"qkv", TensorRef{of_graph_.at(op.inputs[0])}},
                                 {"k_cache", TensorRef{k_cache_}},
                                 {"v_cache", TensorRef{v_cache_}},
                                 {"positions", TensorRef{numbers("positions", inputs_.positions(), Spread::whole)}},
                                 {"slots", TensorRef{numbers("slots", inputs_.slots(), Spread::whole)}},
                                 {"inv_freq", TensorRef{*inverse_frequencies_}}};
    if (inputs_.decodes() > 0) args.push_back({"q", TensorRef{query_}});
    if (inputs_.chunks() > 0) {
      args.push_back({"q_chunks", TensorRef{chunk_query_}});
      args.push_back({"sequences", TensorRef{numbers("sequences", inputs_.chunk_rows(), Spread::whole)}});
    }
    if (const GraphOp* const norms = std::exchange(head_norm_, nullptr)) {
      args.push_back({"q_norm", TensorRef{weight("q_norm.weight", {norms->weights[0]}, Spread::whole)}});
      args.push_back({"k_norm", TensorRef{weight("k_norm.weight", {norms->weights[1]}, Spread::whole)}});
      args.push_back({"eps", spec.norm_eps});
    }
    if (attention_factor_ != 1) args.push_back({"attention_factor", attention_factor_});
    launch("rope_append", "rope_append", std::move(args));
  }

  std::size_t inverse_frequencies() {
    const model::RopeFrequencies frequencies = model::rope_frequencies(input_.spec.rope, input_.spec.head_dim);
    attention_factor_ = frequencies.attention_factor;
    const auto count = static_cast<std::int64_t>(frequencies.inverse.size());
    ProgramTensor tensor = made("inv_freq", -1, {1, count}, Dtype::f32, Spread::whole);
    tensor.numbers = frequencies.inverse;
    return add_kept(std::move(tensor));
  }

  // Sequences with one new token take another kernel than chunks.
  void attend(const GraphOp& op) {
    const std::int64_t window = op.numbers.at("window"), heads = op.numbers.at("heads"), d = op.numbers.at("head_dim");
    const std::int64_t kv_heads = op.numbers.at("kv_heads");
    const std::size_t out = activation("attended", {tokens(), heads * d}, Spread::tile);
    of_graph_[op.outputs[0]] = out;
    const std::vector<ProgramArg> common{
        {"k_cache", TensorRef{k_cache_}}, {"v_cache", TensorRef{v_cache_}}, {"out", TensorRef{out}}};
    const std::string suffix = window > 0 ? fmt::format(".window{}", window) : "";
    if (inputs_.decodes() > 0) {
      std::vector<ProgramArg> args = common;
      args.push_back({"q", TensorRef{query_}});
      args.push_back(
          {"work", TensorRef{numbers("work" + suffix, inputs_.decode_work(kv_heads, window), Spread::rows)}});
      const std::int64_t length =
          contract::decode_scratch_length(inputs_.decodes(), heads, kv_heads, d, {cubes_, pes_});
      args.push_back({"scratch", TensorRef{activation("scratch", {cubes_ * pes_, length}, Spread::rows, Dtype::f32)}});
      launch("paged_attention_decode", "attend", std::move(args));
      pending_ops_ = {};
    }
    if (inputs_.chunks() > 0) {
      std::vector<ProgramArg> args = common;
      args.push_back({"q", TensorRef{chunk_query_}});
      args.push_back({"sequences", TensorRef{numbers("sequences", inputs_.chunk_rows(), Spread::whole)}});
      args.push_back({"table", TensorRef{numbers("table", inputs_.chunk_tables(), Spread::whole)}});
      // Every cube reads the pages once, and its PEs take them from there.
      const Shape stage{inputs_.staged_pages(window), inputs_.cache().page, kv_heads, d};
      args.push_back({"k_stage", TensorRef{activation("staged.k", stage, Spread::heads)}});
      args.push_back({"v_stage", TensorRef{activation("staged.v", stage, Spread::heads)}});
      if (window > 0) args.push_back({"window", window});
      launch("paged_attention_prefill", inputs_.decodes() > 0 ? "attend_chunks" : "attend", std::move(args));
    }
  }

  void head(const GraphOp& op) {
    const std::size_t table = weight("head", {op.weights[0]}, Spread::outputs);
    const std::int64_t sequences = input_.batch.size(), columns = program_.tensors[table].shape[0];
    const std::size_t logits = activation("logits", {sequences, columns}, Spread::tile);
    std::vector<ProgramArg> args{{"w", TensorRef{table}}};
    if (sequences < tokens())
      args.push_back({"rows", TensorRef{numbers("last_rows", inputs_.last_rows(), Spread::whole)}});
    program_.logits = logits;
    norm_->stores = false;  // nothing follows that needs the residual
    product("head", logits, false, std::move(args), std::nullopt);
    program_.best = activation("best", {1, sequences}, Spread::one, Dtype::i32);
    program_.best_logit = activation("best_logit", {1, sequences}, Spread::one, Dtype::f32);
    const std::size_t of_cubes = activation("best_of_cubes", {cubes_, 2 * sequences}, Spread::rows, Dtype::f32);
    launch("argmax_rows", "argmax",
           {{"x", TensorRef{logits}},
            {"partials", TensorRef{of_cubes}},
            {"indices", TensorRef{program_.best}},
            {"values", TensorRef{program_.best_logit}}});
  }

  void all_reduce(const GraphOp& op) {
    launch("", op.name, {{"tensor", TensorRef{equal_parts(of_graph_.at(op.inputs[0]))}}});
  }
  // A sum needs equal parts. The last PEs of a cube have a row less, and room for it: what lies there is added up, too.
  std::size_t equal_parts(std::size_t index) {
    ProgramTensor filled = program_.tensors[index];
    if (filled.shape[0] <= pes_ || filled.shape[0] % pes_ == 0) return index;
    filled.name += ".filled";
    filled.shape[0] += pes_ - filled.shape[0] % pes_;
    filled.same_place = index;
    return add(std::move(filled));
  }

  // The TCM is faster, where there is room.
  void place_partials(const std::optional<std::size_t>& tensor) {
    if (!tensor) return;
    ProgramTensor& partials = program_.tensors[*tensor];
    const auto bytes = static_cast<std::uint64_t>(partials.shape[1]) * item_size(Dtype::f32);
    if (bytes <= input_.tcm_bytes) partials.memory = MemoryKind::tcm;
    const std::uint64_t period = input_.geometry.period();
    partials.part = partials.memory == MemoryKind::tcm ? 0 : (bytes + period - 1) / period * period;
  }

  const LoweringInput& input_;
  StepInputs inputs_;
  std::size_t at_ = 0;                           // operation
  std::map<std::size_t, std::size_t> of_graph_;  // tensors by those of the graph
  std::optional<std::size_t> residual_, embedded_, inverse_frequencies_, partials_, head_partials_;
  std::optional<Norm> norm_;
  const GraphOp* head_norm_ = nullptr;
  std::size_t k_cache_ = 0, v_cache_ = 0, query_ = 0, chunk_query_ = 0;
  double attention_factor_ = 1;
};

}  // namespace

Program lower(const LoweringInput& input) {
  require_kernels(input.spec);
  if (input.plan.tp > 1) require_sums(input.spec, input.geometry.pes / input.geometry.pes_per_cube);
  if (input.plan.pp > 1) throw Error::configuration("--pp: a pipeline cannot be simulated yet");
  return Lowering(input).run();
}

}  // namespace kb::sw
