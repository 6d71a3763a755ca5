// Puts a graph together, operation by operation.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/math_op.h"
#include "platform/model/graph.h"
#include "platform/model/weights.h"

namespace kb::model {

class GraphBuilder {
 public:
  // All outlive the builder. `graph` has its stage, layers and dtype.
  GraphBuilder(const ModelSpec& spec, const ParallelPlan& plan, const Batch& batch, Graph& graph)
      : spec_(spec), plan_(plan), batch_(batch), graph_(graph) {}

  void embed();
  void receive();
  void send();
  void head();
  void layer(std::int64_t layer);

 private:
  using Indices = std::vector<std::size_t>;

  // attention_ops.cpp
  void attention();
  void latent_attention(const MlaSpec& mla);
  void add_latent_work(const MlaSpec& mla, GraphOp& op) const;
  // expert_ops.cpp
  void experts(const MoeSpec& moe);
  std::size_t mlp(const std::string& role, const std::string& label, std::int64_t width);
  std::size_t route(const MoeSpec& moe, const std::string& block);

  std::size_t tensor(GraphTensor tensor);
  // A new activation of this layer; `kind` may be index.
  std::size_t activation(const std::string& role, Shape shape, TensorKind kind = TensorKind::activation);
  std::size_t weight(const WeightTensor& weight);
  std::size_t weight(const std::string& role);  // of this layer
  std::size_t cache(const std::string& role, std::int64_t tokens, Shape per_token, const std::string& cut);
  // Adds an operation whose activation bytes are those of its inputs and outputs, each once.
  GraphOp& op(OpKind kind, const std::string& name, Indices inputs, Indices outputs, Indices weights = {});
  std::size_t linear(const std::string& name, std::size_t input, const std::vector<std::string>& roles,
                     const std::string& output);
  void norm(const std::string& name, std::size_t weight, std::int64_t rows);  // of the residual, into normed_
  std::size_t plain_norm(const std::string& name, std::size_t input, const std::string& role, std::int64_t width);
  void all_reduce(std::size_t tensor, const std::string& name);

  std::int64_t tokens() const { return batch_.tokens(); }
  std::uint64_t bytes(std::size_t tensor) const { return graph_.tensors[tensor].bytes; }
  std::int64_t local_heads() const { return spec_.heads / plan_.tp; }
  std::int64_t window() const { return spec_.layers[static_cast<std::size_t>(layer_)].window; }

  const ModelSpec& spec_;
  const ParallelPlan& plan_;
  const Batch& batch_;
  Graph& graph_;
  std::int64_t layer_ = kNoLayer;
  std::vector<WeightTensor> weights_;  // of this layer
  std::size_t residual_ = 0, normed_ = 0;
  std::optional<std::size_t> delta_;  // what the next norm adds to the residual
};

// Passes of PE_MATH that an operation takes over each of its elements.
double passes(std::initializer_list<MathOp> ops);
// Share of a tensor that leaves a SIP when each of `parts` keeps its own.
std::uint64_t others_part(std::uint64_t bytes, std::int64_t parts);

}  // namespace kb::model
