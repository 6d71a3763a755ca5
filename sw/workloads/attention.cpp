#include "sw/workloads/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sw/distributed/queue_installation.h"
#include "sw/workloads/attention_problem.h"
#include "sw/workloads/ccl_support.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

// Ranks that write rows of O.
std::vector<std::int64_t> ranks_with_result(const AttentionProblem& problem, std::int64_t root, bool all) {
  if (!problem.panel.prefill && !all) return {root};
  std::vector<std::int64_t> out;
  for (std::int64_t rank = 0; rank < problem.ranks; ++rank) out.push_back(rank);
  return out;
}

void add_figures(WorkloadResult& result, const AttentionProblem& p, const LaunchMetrics& metrics) {
  add_launch_figures(result, metrics);
  const double context = static_cast<double>(p.context), d = static_cast<double>(p.d);
  const double tokens = static_cast<double>(p.s_q),
               seen = p.causal ? context - (tokens - 1) / 2 : context;  // on average
  add_rate(result, "achieved", 4 * static_cast<double>(p.q_heads) * tokens * seen * d, metrics.exec_max, "GFLOP/s",
           "operations of both products over the critical path");
  add_rate(result, "cache read",
           2 * static_cast<double>(p.kv_heads) * context * d * static_cast<double>(item_size(p.dtype)),
           metrics.exec_max, "GB/s", "bytes of K and V over the critical path");
  result.figures.push_back({"ranks", static_cast<double>(p.groups * p.ranks), "", "PEs that compute"});
  add_pe_count(result, metrics.pes);
}

WorkloadResult run_attention(Runtime& rt, const Params& params) {
  AttentionProblem p = attention_problem(params, rt.machine());
  const std::int64_t asked = params.integer("root"), root = asked >= 0               ? asked
                                                            : p.panel.rank_axis == 0 ? 0
                                                                                     : p.ranks / 2;
  if (root >= p.ranks) {
    throw Error::program("SHAPE_ERROR", fmt::format("root = {} is not a rank; use 0 to {}", root, p.ranks - 1));
  }
  const bool all = params.text("result") == "all";
  const std::int64_t row_bytes = p.d * static_cast<std::int64_t>(item_size(p.dtype));
  const std::int64_t message = p.largest_message();
  const QueueInstallation queues(rt, p.panel.wiring, queue_options(params), static_cast<std::uint64_t>(message));
  const auto slot = static_cast<std::int64_t>(queues.config().slot_size);
  if (p.panel.prefill && slot / row_bytes < p.keys) p.take_blocks_of(slot / row_bytes);
  const DPPolicy placement = p.placement();
  const AttentionContents given = rt.computes_data() ? attention_contents(p, contents_of(params), rt.seed())
                                                     : AttentionContents{HostArray::unknown(p.q_shape(), p.dtype),
                                                                         HostArray::unknown(p.k_shape(), p.dtype),
                                                                         HostArray::unknown(p.k_shape(), p.dtype)};
  const auto deployed = [&](const HostArray& values, const char* name) {
    Tensor tensor = rt.empty(values.shape(), p.dtype, placement, name);
    tensor.copy_(values);
    return tensor;
  };
  const Tensor q = deployed(given.q, "Q"), k = deployed(given.k, "K"), v = deployed(given.v, "V");
  const Tensor o = rt.zeros(p.q_shape(), p.dtype, placement, "O");
  Args arguments{{"q", q},
                 {"k", k},
                 {"v", v},
                 {"o", o},
                 {"tokens", p.s_q},
                 {"q_per_kv", p.q_per_kv},
                 {"context", p.context},
                 {"d", p.d},
                 {"heads", p.heads},
                 {"n_ranks", p.ranks},
                 {"rank_axis", p.panel.rank_axis},
                 {"slot_bytes", slot},
                 {"causal", p.causal},
                 {"rows", p.rows},
                 {"keys", p.keys}};
  if (!p.panel.prefill) {
    arguments.emplace_back("root", root);
    arguments.emplace_back("broadcast", all);
  }
  LaunchOptions launch;
  launch.label = p.panel.name;
  const LaunchMetrics metrics = rt.wait(rt.launch(p.panel.kernel, arguments, launch));
  const HostArray o_values = o.to_host();

  WorkloadResult result;
  add_figures(result, p, metrics);
  if (!can_verify(rt, result)) return result;
  const std::vector<std::int64_t> ranks = ranks_with_result(p, root, all);
  result.verification.push_back(attention_row(p, ranks, given, rows_of_ranks(p, ranks, o_values)));
  return result;
}

std::vector<Parameter> attention_parameters() {
  std::vector<std::string> panels;
  for (const AttentionPanel& panel : attention_panels()) panels.push_back(panel.name);
  std::vector<Parameter> parameters{
      Parameter::choice("panel", panels.front(), panels,
                        "single_user: the PEs of a cube are the ranks; multi_user: PE 0 of the cubes of a row"),
      Parameter::choice("scale", "validation", {"validation", "headline"},
                        "sizes that are 0: 1/1 heads of 64, context 64; or 64/8 heads of 128, context 8192"),
      Parameter::integer("q_heads", 0, "query heads; 0: by scale", 0),
      Parameter::integer("kv_heads", 0, "K/V heads, spread over cubes or rows of cubes; 0: by scale", 0),
      Parameter::integer("head_dim", 0, "columns of Q, K and V; 0: by scale", 0, "elements"),
      Parameter::integer("context", 0, "keys of a K/V head, split over its ranks; 0: by scale", 0, "tokens"),
      Parameter::integer("s_q", 0, "query tokens, in prefill split over the ranks; 0: 16 in prefill, 1 in decode", 0,
                         "tokens"),
      Parameter::choice("causal", "true", {"true", "false"},
                        "the query tokens are the last ones of the context and see no later key, or all see all keys"),
      Parameter::integer("queries_per_cube", 0, "query tokens that a cube works on, instead of s_q; 0: by s_q", 0,
                         "tokens"),
      Parameter::integer("ranks", 0, "of a K/V head; 0: all PEs of a cube, or 4 cubes of a row", 0)
          .at_most(Parameter::kMaxUnits),
      Parameter::integer("root", -1, "rank that collects in decode; -1: 0 on the ring, the centre of a row", -1)
          .at_most(Parameter::kMaxUnits),
      Parameter::choice("result", "root", {"root", "all"}, "ranks that have the result of decode"),
      Parameter::integer("keys", 0, "of a block of K and V, in prefill as many as a slot holds; 0: chosen", 0, "tokens")
          .tuning({"64", "128", "256"}),
      Parameter::choice("dtype", "f16", {"f16", "bf16", "f32"}, "element type of all tensors"),
      data_parameter(),
  };
  for (Parameter& parameter : queue_parameters()) parameters.push_back(std::move(parameter));
  return parameters;
}

}  // namespace

Workload attention_workload() {
  return {"attention", "grouped-query attention by message queues, prefill or decode, verified", attention_parameters(),
          run_attention};
}

}  // namespace kb::sw
