// One step of a model on one SIP of a stage, as a list of operations on named tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/model/batch.h"
#include "platform/model/model_spec.h"
#include "platform/model/parallel_plan.h"

namespace kb::model {

enum class OpKind : std::uint8_t {
  embed,       // rows of the embedding table
  norm,        // RMSNorm; with a second input it is added first, and the sum is the second output
  linear,      // product with one or more weights, whose outputs lie side by side
  head_norm,   // RMSNorm of each head of queries and keys
  rope,        // rotation of queries and keys
  append,      // new keys and values into the cache
  attend,      // attention over the cache
  mla,         // latent attention: decode inside the latent, prefill expanded
  swiglu,      // silu(gate) * up
  route,       // scores of the experts and the choice of the best
  experts,     // the products of the chosen experts
  combine,     // weighted sum of the experts' rows
  head,        // logits of the last token of each sequence, and the largest
  all_reduce,  // sum over the SIPs of tensor parallelism
  all_gather,
  all_to_all,  // rows of tokens to the SIPs with their experts, and back
  send,        // the residual to the next stage
  receive,
};
inline constexpr std::size_t kOpKinds = static_cast<std::size_t>(OpKind::receive) + 1;
std::string_view op_kind_name(OpKind kind);

enum class TensorKind : std::uint8_t { weight, activation, cache, index };
std::string_view tensor_kind_name(TensorKind kind);

struct GraphTensor {
  std::string name;  // of a weight: that of the model's file
  TensorKind kind = TensorKind::activation;
  std::string role;         // name without the layer
  std::int64_t layer = -1;  // -1: belongs to no layer
  Shape shape;              // on one SIP
  Dtype dtype = Dtype::bf16;
  std::string cut = "whole";  // how it is divided over SIPs
  std::uint64_t bytes = 0;    // on one SIP, with scales
};

// What an operation costs at least on one SIP.
struct Work {
  double macs = 0;                                                        // multiply-accumulates of PE_GEMM
  double element_ops = 0;                                                 // passes of PE_MATH times elements
  std::uint64_t weight_bytes = 0, activation_bytes = 0, cache_bytes = 0;  // read and written
  std::uint64_t link_bytes = 0;  // sent to other SIPs, the same number being received

  double flop() const { return 2 * macs + element_ops; }
  std::uint64_t memory_bytes() const { return weight_bytes + activation_bytes + cache_bytes; }
};

struct GraphOp {
  OpKind kind{};
  std::string name;                                   // "qkv"
  std::int64_t layer = -1;                            // -1: outside the layers
  std::vector<std::size_t> inputs, outputs, weights;  // indices of tensors
  std::map<std::string, std::int64_t> numbers;        // "rows", "heads": what a kernel has to be told
  Work work;
};

struct Graph {
  std::int64_t stage = 0;
  LayerRange layers;
  Dtype dtype = Dtype::bf16;  // of products
  std::vector<GraphTensor> tensors;
  std::vector<GraphOp> ops;  // in the order of execution; each depends on the one before

  std::size_t index_of(std::string_view tensor) const;  // tensors.size() when there is none
};

// The same arguments give the same graph. The plan and the dtype have been checked. All SIPs of a stage have this
// graph: where experts are chosen by data, tokens are spread as evenly as possible over experts ("balanced").
Graph build_graph(const ModelSpec& spec, const ParallelPlan& plan, const Batch& batch, Dtype dtype, std::int64_t stage);

}  // namespace kb::model
