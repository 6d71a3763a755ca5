#include "sw/workloads/tensor_parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <utility>

#include "platform/base/error.h"
#include "sw/distributed/process_group.h"
#include "sw/parallel/embedding.h"
#include "sw/parallel/host_parts.h"
#include "sw/parallel/regions.h"
#include "sw/parallel/transformer_block.h"
#include "sw/workloads/ccl_support.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/model_reference.h"
#include "sw/workloads/ranks.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

// The forward pass of a rank in model group `replica`.
using Forward = std::function<Tensor(ModelParallel& mp, std::int64_t replica)>;

// Results of all ranks. Ranks [r size, (r + 1) size) are replica r of the model.
struct ParallelRun {
  int size = 1;                    // ranks that share a model
  std::vector<HostArray> outputs;  // by rank
  std::vector<std::vector<ParallelStep>> steps;
  std::int64_t replicas() const { return static_cast<std::int64_t>(outputs.size()) / size; }
};

std::int64_t pes_per_sip(Runtime& rt) {
  return std::int64_t{rt.machine().cubes_per_sip} * rt.machine().pes_per_cube;
}

int model_size(const Params& params, int ranks) {
  const std::int64_t size = params.integer("tp");
  if (size == 0) return ranks;
  if (size <= ranks && ranks % size == 0) return static_cast<int>(size);
  throw Error::program("SHAPE_ERROR", fmt::format("tp = {}: {} SIPs cannot be shared evenly by models on {} SIPs each",
                                                  size, ranks, size));
}

ParallelRun run_ranks(Runtime& rt, const Params& params, const std::string& name, const Forward& forward) {
  ProcessGroup world(rt, ccl_options(params));
  ParallelRun run;
  run.size = model_size(params, world.size());
  std::deque<ModelParallel> models;
  for (int first = 0; first < world.size(); first += run.size) {
    std::vector<int> ranks;
    for (int rank = first; rank < first + run.size; ++rank) ranks.push_back(rank);
    models.emplace_back(rt, run.size == world.size() ? static_cast<Communicator&>(world) : world.new_group(ranks));
  }
  run.outputs = on_every_sip(rt, name, [&](int rank, int) {
    const int replica = rank / run.size;
    return forward(models[static_cast<std::size_t>(replica)], replica).to_host();
  });
  for (int rank = 0; rank < world.size(); ++rank) {
    run.steps.push_back(models[static_cast<std::size_t>(rank / run.size)].steps(rank % run.size));
  }
  return run;
}

std::uint64_t seed_of_input(const Runtime& rt, std::int64_t replica) {
  return rt.seed() + 100 + static_cast<std::uint64_t>(replica);
}

// Input X of a replica.
HostArray input_of(const Runtime& rt, const Params& params, const Shape& shape, Dtype dtype, std::int64_t replica) {
  if (!rt.computes_data()) return HostArray::unknown(shape, dtype);
  const std::uint64_t seed = seed_of_input(rt, replica);
  return contents_of(params) == Contents::real ? HostArray::random(shape, dtype, seed)
                                               : whole_numbers(shape, dtype, seed, 2);
}

InitialValues values_of(const Params& params) {
  return contents_of(params) == Contents::real ? InitialValues::uniform : InitialValues::signs;
}

// Adds the time of the slowest rank and its division by kind of step; `products` is the work of one replica.
void add_figures(WorkloadResult& result, const ParallelRun& run, double products) {
  TimeFs forward = 0_fs;
  std::map<StepKind, TimeFs> by_kind;
  std::size_t pes = 0;
  for (const std::vector<ParallelStep>& steps : run.steps) {
    std::map<StepKind, TimeFs> own;
    std::size_t most = 0;
    for (const ParallelStep& step : steps) {
      own[step.kind] += step.metrics.exec_max;
      most = std::max(most, step.metrics.pes);
    }
    for (const auto& [kind, time] : own) by_kind[kind] = std::max(by_kind[kind], time);
    forward = std::max(forward, steps.back().metrics.completed - steps.front().metrics.submitted);
    pes += most;
  }
  const auto add = [&](const char* name, TimeFs time, const char* meaning) {
    result.figures.push_back({name, fs_to_ns(time), "ns", meaning});
  };
  add("forward", forward, "from the first submission to the last completion, the slowest rank");
  add("products", by_kind[StepKind::product], "critical paths of its matrix products");
  add("between ranks", by_kind[StepKind::exchange], "critical paths of its collectives");
  add("layouts", by_kind[StepKind::layout], "critical paths of what moves data inside a SIP");
  add("element-wise", by_kind[StepKind::pointwise], "critical paths of functions, norms and biases");
  add_rate(result, "achieved", 2 * products * static_cast<double>(run.replicas()), forward, "GFLOP/s",
           "2 operations per product over the forward time");
  add_pe_count(result, pes);
}

// Compares every rank's output with the expected one of its replica, and bitwise with that of the replica's first rank
// (K-79).
void verify_ranks(Runtime& rt, WorkloadResult& result, const LayerReference& reference, const ParallelRun& run,
                  const std::string& steps, const std::function<data::BoundedMatrix(std::int64_t replica)>& expected) {
  for (std::int64_t replica = 0; replica < run.replicas(); ++replica) {
    const data::BoundedMatrix y = rt.computes_data() ? expected(replica) : data::BoundedMatrix{};
    const auto first = static_cast<std::size_t>(replica * run.size);
    for (std::size_t rank = first; rank < first + static_cast<std::size_t>(run.size); ++rank) {
      if (!can_verify(rt, result)) continue;
      result.verification.push_back(reference.row(fmt::format("Y of rank {}", rank), run.outputs[rank], y, steps));
      if (rank == first) continue;
      verify_exact(rt, result, fmt::format("rank {} = rank {}", rank, first), run.outputs[rank], run.outputs[first]);
    }
  }
}

Parameter float_parameter() {
  return Parameter::choice("dtype", "f16", {"f16", "bf16", "f32"}, "element type of all tensors");
}

Parameter bias_parameter() {
  return Parameter::choice("bias", "yes", {"yes", "no"}, "layers have a bias");
}

Parameter activation_parameter() {
  return Parameter::choice("activation", "gelu", {"none", "relu", "gelu", "silu", "swiglu"},
                           "between the layers; swiglu adds a third one");
}

void append_shared(std::vector<Parameter>& parameters) {
  parameters.push_back(data_parameter());
  parameters.push_back(Parameter::integer("tp", 0,
                                          "SIPs that share a model; further groups of SIPs have replicas of it, "
                                          "with tokens of their own; 0: all",
                                          0)
                           .at_most(Parameter::kMaxUnits));
  for (Parameter& parameter : ccl_parameters()) parameters.push_back(std::move(parameter));
}

MlpOptions mlp_options(Runtime& rt, const Params& params) {
  MlpOptions options;
  options.activation = activation_named(params.text("activation"));
  options.bias = params.text("bias") == "yes";
  options.dtype = params.dtype("dtype");
  options.memory = weights_of(params);
  options.seed = rt.seed();
  options.values = values_of(params);
  return options;
}

WorkloadResult run_parallel_mlp(Runtime& rt, const Params& params) {
  const std::int64_t m = params.integer("tokens"), width = params.integer("width"), inner = params.integer("inner");
  const MlpOptions options = mlp_options(rt, params);
  const bool constant = params.text("x") == "constant";
  const auto x = [&](std::int64_t replica) {
    return constant ? HostArray::full({m, width}, options.dtype, 0.1)
                    : input_of(rt, params, {m, width}, options.dtype, replica);
  };
  const ParallelRun run = run_ranks(rt, params, "tp-mlp", [&](ModelParallel& mp, std::int64_t replica) {
    const ParallelMlp mlp(mp, width, inner, options);
    return mlp.forward(on_every_cube(mp, x(replica), "X"));
  });
  WorkloadResult result;
  const double layers = options.activation == Activation::swiglu ? 3 : 2;
  add_figures(result, run, layers * static_cast<double>(m) * static_cast<double>(width) * static_cast<double>(inner));
  const LayerReference reference(options.dtype, run.size, pes_per_sip(rt));
  verify_ranks(rt, result, reference, run, "layer, function, layer",
               [&](std::int64_t replica) { return expected_mlp(reference, exact_values(x(replica)), inner, options); });
  return result;
}

TransformerOptions transformer_options(Runtime& rt, const Params& params) {
  TransformerOptions options;
  options.width = params.integer("width");
  options.heads = params.integer("heads");
  options.kv_heads = params.integer("kv_heads") > 0 ? params.integer("kv_heads") : options.heads;
  options.head_dim = params.integer("head_dim");
  options.inner = params.integer("inner");
  options.activation = activation_named(params.text("activation"));
  options.causal = params.text("mask") == "causal";
  options.bias = params.text("bias") == "yes";
  options.dtype = params.dtype("dtype");
  options.memory = weights_of(params);
  options.seed = rt.seed();
  options.values = values_of(params);
  return options;
}

double block_products(const TransformerOptions& o, std::int64_t m) {
  const std::int64_t qkv = (o.heads + 2 * o.kv_heads) * o.head_dim, attended = o.heads * o.head_dim;
  const std::int64_t mlp = (o.activation == Activation::swiglu ? 3 : 2) * o.inner;
  const double tokens = static_cast<double>(m);
  return tokens * (static_cast<double>(o.width) * static_cast<double>(qkv + attended + mlp) +
                   2 * tokens * static_cast<double>(attended));
}

// Rows for which the first norm is exact.
HostArray block_input(const Runtime& rt, const Params& params, const Shape& shape, Dtype dtype, std::int64_t replica) {
  if (!rt.computes_data() || contents_of(params) == Contents::real) {
    return input_of(rt, params, shape, dtype, replica);
  }
  return balanced_signs(shape, dtype, seed_of_input(rt, replica));
}

WorkloadResult run_block(Runtime& rt, const Params& params) {
  const TransformerOptions options = transformer_options(rt, params);
  const std::int64_t m = params.integer("tokens");
  const auto x = [&](std::int64_t replica) {
    return block_input(rt, params, {m, options.width}, options.dtype, replica);
  };
  const ParallelRun run = run_ranks(rt, params, "tp-transformer-block", [&](ModelParallel& mp, std::int64_t replica) {
    const TransformerBlock block(mp, options);
    return block.forward(on_every_cube(mp, x(replica), "X"));
  });
  WorkloadResult result;
  add_figures(result, run, block_products(options, m));
  const LayerReference reference(options.dtype, run.size, pes_per_sip(rt));
  verify_ranks(rt, result, reference, run, "norm, attention, norm, MLP",
               [&](std::int64_t replica) { return expected_block(reference, exact_values(x(replica)), options); });
  return result;
}

struct LayerCase {
  std::string layer;
  std::int64_t tokens, in, out;
  LinearOptions options;
};

double products_of(const LayerCase& c) {
  return static_cast<double>(c.tokens) * static_cast<double>(c.in) * static_cast<double>(c.out);
}

Tensor forward_layer(ModelParallel& mp, const LayerCase& c, const HostArray& x) {
  if (c.layer == "column" || c.layer == "column_gather") {
    return ColumnParallelLinear(mp, c.in, c.out, c.options).forward(on_every_cube(mp, x, "X"));
  }
  const RowParallelLinear layer(mp, c.in, c.out, c.options);
  if (c.layer == "row_scatter") return layer.forward(on_every_cube(mp, x, "X"));
  const std::int64_t own = c.in / mp.size();
  return layer.forward(on_every_cube(mp, columns_of(x, mp.rank() * own, own), "X"));
}

WorkloadResult run_linear(Runtime& rt, const Params& params, LayerCase c) {
  c.options.bias = params.text("bias") == "yes";
  c.options.dtype = params.dtype("dtype");
  c.options.gather_output = c.layer == "column_gather";
  c.options.input_is_parallel = c.layer == "row";
  c.options.seed = rt.seed();
  c.options.values = values_of(params);
  c.options.name = c.layer;
  const auto x = [&](std::int64_t replica) { return input_of(rt, params, {c.tokens, c.in}, c.options.dtype, replica); };
  const ParallelRun run = run_ranks(rt, params, "tp-layer", [&](ModelParallel& mp, std::int64_t replica) {
    return forward_layer(mp, c, x(replica));
  });
  WorkloadResult result;
  add_figures(result, run, products_of(c));
  const LayerReference reference(c.options.dtype, run.size);
  const bool rows = c.layer == "row" || c.layer == "row_scatter";
  const auto expected = [&](std::int64_t replica, std::int64_t first, std::int64_t count) {
    const LayerValues values =
        layer_values(c.in, c.out, c.options.dtype, *c.options.seed, c.options.bias, c.options.values);
    const HostArray bias = columns_of(values.bias, first, count);
    return reference.linear(exact_values(x(replica)), columns_of(values.weight, first, count),
                            values.has_bias ? &bias : nullptr, rows);
  };
  if (c.layer != "column") {
    verify_ranks(rt, result, reference, run, "layer",
                 [&](std::int64_t replica) { return expected(replica, 0, c.out); });
    return result;
  }
  const std::int64_t own = c.out / run.size;
  for (std::size_t rank = 0; rank < run.outputs.size(); ++rank) {
    const auto member = static_cast<std::int64_t>(rank) % run.size,
               replica = static_cast<std::int64_t>(rank) / run.size;
    if (!can_verify(rt, result)) continue;
    result.verification.push_back(reference.row(fmt::format("Y of rank {}", rank), run.outputs[rank],
                                                expected(replica, member * own, own), "layer"));
  }
  return result;
}

constexpr std::int64_t kMaxTokens = 1 << 24;

// Tokens that cover the first and the last row of the table and, in between, all ranks.
HostArray token_ids(std::int64_t tokens, std::int64_t rows) {
  std::vector<double> ids;
  for (std::int64_t i = 0; i < tokens; ++i) ids.push_back(static_cast<double>(rows - 1 - i % rows));
  return HostArray::from_doubles({1, tokens}, Dtype::i32, ids);
}

WorkloadResult run_embedding(Runtime& rt, const Params& params, const LayerCase& c) {
  EmbeddingOptions options;
  options.dtype = params.dtype("dtype");
  options.seed = rt.seed();
  const HostArray ids = token_ids(c.tokens, c.in);
  const ParallelRun run = run_ranks(rt, params, "tp-layer", [&](ModelParallel& mp, std::int64_t) {
    return VocabParallelEmbedding(mp, c.in, c.out, options).forward(rt.from_host(ids, "ids"));
  });
  WorkloadResult result;
  add_figures(result, run, products_of(c));
  std::vector<double> expected;
  if (rt.computes_data()) {
    const HostArray table = HostArray::random({c.in, c.out}, options.dtype, *options.seed);
    for (const std::int64_t id : ids.to_integers()) {
      const std::vector<double> row = rows_of(table, id, 1).to_doubles();
      expected.insert(expected.end(), row.begin(), row.end());
    }
  }
  for (std::size_t rank = 0; rank < run.outputs.size(); ++rank) {
    const HostArray& y = run.outputs[rank];
    verify_exact(rt, result, fmt::format("Y of rank {}", rank), y,
                 rt.computes_data() ? HostArray::from_doubles(y.shape(), y.dtype(), expected) : y);
  }
  return result;
}

WorkloadResult run_layer(Runtime& rt, const Params& params) {
  LayerCase c;
  c.layer = params.text("layer");
  c.tokens = params.integer("tokens");
  c.in = params.integer("in");
  c.out = params.integer("out");
  return c.layer == "embedding" ? run_embedding(rt, params, c) : run_linear(rt, params, std::move(c));
}

}  // namespace

Workload tp_layer_workload() {
  std::vector<Parameter> parameters{
      Parameter::choice("layer", "row", {"column", "column_gather", "row", "row_scatter", "embedding"},
                        "column_gather: its output made whole; row_scatter: its input whole; embedding: `in` tokens"),
      Parameter::integer("tokens", 16, "rows of X", 1, "tokens").at_most(kMaxTokens),
      Parameter::integer("in", 512, "columns of X, or rows of the table", 1, "elements"),
      Parameter::integer("out", 512, "columns of Y", 1, "elements"),
      bias_parameter(),
      float_parameter()};
  append_shared(parameters);
  return {"tp-layer", "one tensor-parallel layer over all SIPs, verified", std::move(parameters), run_layer};
}

Workload tp_mlp_workload() {
  std::vector<Parameter> parameters{
      Parameter::integer("tokens", 1, "rows of X", 1, "tokens"),
      Parameter::integer("width", 512, "columns of X and Y", 1, "elements"),
      Parameter::integer("inner", 2048, "columns between the layers, split over the SIPs", 1, "elements"),
      activation_parameter(),
      bias_parameter(),
      Parameter::choice("x", "random", {"random", "constant"}, "contents of X: as data says, or 0.1 everywhere"),
      float_parameter(),
      weights_parameter()};
  append_shared(parameters);
  return {"tp-mlp", "tensor-parallel MLP of two layers over all SIPs, one all-reduce, verified", std::move(parameters),
          run_parallel_mlp};
}

Workload tp_transformer_block_workload() {
  std::vector<Parameter> parameters{
      Parameter::integer("tokens", 16, "rows of X, one sequence", 1, "tokens"),
      Parameter::integer("width", 256, "columns of X and Y", 1, "elements"),
      Parameter::integer("heads", 12, "query heads, split over the SIPs", 1),
      Parameter::integer("kv_heads", 0, "key and value heads, split likewise; 0: as many as query heads", 0),
      Parameter::integer("head_dim", 32, "columns of a head", 1, "elements"),
      Parameter::integer("inner", 1536, "columns between the layers of the MLP, split over the SIPs", 1, "elements"),
      activation_parameter(),
      Parameter::choice("mask", "causal", {"causal", "none"}, "which tokens a token sees"),
      bias_parameter(),
      float_parameter(),
      weights_parameter()};
  append_shared(parameters);
  return {"tp-transformer-block",
          "tensor-parallel transformer block over all SIPs: norms, attention, MLP, residual paths, verified",
          std::move(parameters), run_block};
}

}  // namespace kb::sw
