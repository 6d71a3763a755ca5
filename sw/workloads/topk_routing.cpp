#include "sw/workloads/topk_routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/base/checked.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/deployed.h"
#include "sw/workloads/linear_reference.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

using data::Bounded;
using data::BoundedMatrix;

TopkRouting routing_of(const Params& params) {
  TopkRouting p{params.dtype("dtype"), params.integer("tokens"), params.integer("dim"), params.integer("experts"),
                params.integer("k")};
  checked_product("tokens x k", {p.tokens, p.k});
  if (p.k <= p.experts) return p;
  throw Error::program("SHAPE_ERROR", fmt::format("k={}: a token has {} experts to choose from; give k 1 to {}", p.k,
                                                  p.experts, p.experts));
}

// Rows of a matrix, as doubles.
std::vector<double> take_rows(const HostArray& array, const std::vector<std::int64_t>& rows) {
  const std::vector<double> all = array.to_doubles();
  const std::int64_t width = array.shape()[1];
  std::vector<double> out;
  for (const std::int64_t row : rows) {
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(row * width);
    out.insert(out.end(), from, from + static_cast<std::ptrdiff_t>(width));
  }
  return out;
}

// True when `one` certainly precedes `other`; NaNs precede all numbers (P-90).
bool goes_before(const Bounded& one, const Bounded& other) {
  if (std::isnan(one.value) || std::isnan(other.value)) return std::isnan(one.value) && !std::isnan(other.value);
  return one.value - one.error > other.value + other.error;
}

bool equal_for_sure(const Bounded& one, const Bounded& other) {
  const bool same = one.value == other.value || (std::isnan(one.value) && std::isnan(other.value));
  return same && one.error == 0 && other.error == 0;
}

// True when `expert` may be the next choice of a token within the rounding error: no remaining expert is certainly
// larger, and it is the first among exactly equal ones.
bool may_be_next(const std::vector<Bounded>& logits, const std::vector<bool>& taken, std::size_t expert) {
  if (expert >= logits.size() || taken[expert]) return false;
  const Bounded& own = logits[expert];
  for (std::size_t other = 0; other < logits.size(); ++other) {
    if (other == expert || taken[other]) continue;
    const Bounded& rival = logits[other];
    if (goes_before(rival, own) || (equal_for_sure(rival, own) && other < expert)) return false;
  }
  return true;
}

std::size_t first_largest(const std::vector<Bounded>& logits, const std::vector<bool>& taken) {
  std::size_t best = logits.size();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (taken[i]) continue;
    if (best == logits.size() || goes_before({logits[i].value, 0}, {logits[best].value, 0})) best = i;
  }
  return best;
}

// Reals with a typical router initialisation: logits do not grow with the number of terms.
HostArray router_weights(const Shape& shape, Dtype dtype, std::uint64_t seed) {
  std::vector<double> values = HostArray::random(shape, Dtype::f32, seed).to_doubles();
  for (double& value : values) value /= std::sqrt(static_cast<double>(shape[0]));
  return HostArray::from_doubles(shape, dtype, values);
}

struct Choice {
  std::vector<std::int64_t> experts;
  std::vector<Bounded> weights;
};

// The experts that a token chooses; `actual` decides when the logits are too close.
Choice choose_experts(const std::vector<Bounded>& logits, std::size_t k, const double* actual) {
  Choice out;
  std::vector<bool> taken(logits.size());
  std::vector<Bounded> terms;
  for (std::size_t i = 0; i < k; ++i) {
    const auto named = static_cast<std::size_t>(std::max(0.0, actual[i]));
    const std::size_t next = may_be_next(logits, taken, named) ? named : first_largest(logits, taken);
    taken[next] = true;
    out.experts.push_back(static_cast<std::int64_t>(next));
    terms.push_back(logits[next]);
  }
  Bounded peak = terms.front();
  for (const Bounded& term : terms) peak = data::maximum(peak, term);
  for (Bounded& term : terms) term = data::exponential(data::subtract(term, peak));
  const Bounded sum = data::ordered_sum(terms);
  for (const Bounded& term : terms) out.weights.push_back(data::divide(term, sum));
  return out;
}

std::vector<double> as_doubles(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

HostArray TopkRouting::x(Contents contents, std::uint64_t seed) const {
  const Shape shape{tokens, dim};
  return contents == Contents::real ? HostArray::random(shape, dtype, seed) : sparse_rows(shape, dtype, seed, 16);
}

HostArray TopkRouting::w(Contents contents, std::uint64_t seed) const {
  const Shape shape{dim, experts};
  return contents == Contents::real ? router_weights(shape, dtype, seed) : whole_numbers(shape, dtype, seed, 1);
}

TopkVerdict topk_verdict(const TopkRouting& p, const HostArray& x, const HostArray& w, const HostArray& weights,
                         const HostArray& experts) {
  const double per_token = static_cast<double>(p.dim) * static_cast<double>(p.experts);
  const auto limit = static_cast<std::int64_t>(std::max(64.0, kMaxProducts / per_token));
  const std::vector<std::int64_t> tokens = lines_to_compare(weights, 0, limit);
  const auto count = static_cast<std::size_t>(tokens.size()), k = static_cast<std::size_t>(p.k);
  const BoundedMatrix rows = data::exact_matrix(count, static_cast<std::size_t>(p.dim), take_rows(x, tokens));
  const BoundedMatrix logits = data::product(rows, exact_values(w));
  const std::vector<double> actual = take_rows(experts, tokens);
  std::vector<std::int64_t> wanted;
  BoundedMatrix shares = data::exact_matrix(count, k, std::vector<double>(count * k));
  for (std::size_t row = 0; row < count; ++row) {
    std::vector<Bounded> own;
    for (std::size_t i = 0; i < logits.cols; ++i) own.push_back(logits.at(row * logits.cols + i));
    const Choice choice = choose_experts(own, k, actual.data() + row * k);
    wanted.insert(wanted.end(), choice.experts.begin(), choice.experts.end());
    for (std::size_t i = 0; i < k; ++i) shares.set(row * k + i, choice.weights[i]);
  }
  const Shape shape{static_cast<std::int64_t>(count), p.k};
  const HostArray part = HostArray::from_doubles(shape, Dtype::f32, take_rows(weights, tokens));
  const std::string rounding = fmt::format(
      "sums of {} products, their differences and exponentials, a sum and a division in f32 (Higham 3.1)", p.dim);
  return {integers_row("experts", HostArray::from_doubles(shape, Dtype::i32, actual), wanted),
          bounded_row("weights", part, std::move(shares), {rounding}), count};
}

std::vector<std::int64_t> tokens_by_expert(const TopkRouting& p, const std::vector<std::int64_t>& experts) {
  std::vector<std::vector<std::int64_t>> tokens(static_cast<std::size_t>(p.experts));
  for (std::size_t i = 0; i < experts.size(); ++i) {
    const auto expert = static_cast<std::size_t>(experts[i]);
    if (expert < tokens.size()) tokens[expert].push_back(static_cast<std::int64_t>(i) / p.k);
  }
  std::vector<std::int64_t> out;
  for (const auto& own : tokens) out.insert(out.end(), own.begin(), own.end());
  out.resize(experts.size());
  return out;
}

data::VerificationRow expert_counts_row(const TopkRouting& p, const HostArray& counts,
                                        const std::vector<std::int64_t>& experts) {
  const auto count = static_cast<std::size_t>(p.experts);
  std::vector<double> sums(count);
  const std::vector<double> parts = counts.to_doubles();
  for (std::size_t i = 0; i < parts.size(); ++i) sums[i % count] += parts[i];
  std::vector<std::int64_t> wanted(count);
  for (const std::int64_t expert : experts) {
    if (expert >= 0 && expert < p.experts) ++wanted[static_cast<std::size_t>(expert)];
  }
  return integers_row("counts", HostArray::from_doubles({1, p.experts}, Dtype::i32, sums), wanted);
}

data::VerificationRow sorted_tokens_row(const HostArray& x, const std::vector<std::int64_t>& order,
                                        const HostArray& sorted) {
  return exact_row("sorted", sorted, HostArray::from_doubles(sorted.shape(), sorted.dtype(), take_rows(x, order)));
}

namespace {

// Placement of the tensors of a run, and its PEs.
struct Placing {
  DPPolicy rows, copies;
  LaunchOptions where;
  std::int64_t groups = 1;  // groups of token counters

  Placing(const Runtime& rt, bool one) {
    rows.cube = rows.pe = Split::row_wise;
    if (one) {
      rows = copies = one_pe_placement();
      where = on_one_pe();
    } else {
      groups = static_cast<std::int64_t>(rt.machine().cubes_per_sip);
    }
  }
};

struct Routed {
  Tensor weights, experts, counts;
  LaunchMetrics metrics;
};

Routed route(Runtime& rt, const Params& params, const TopkRouting& p, const Placing& placing, const Tensor& x,
             const Tensor& w) {
  const Shape choose_experts{p.tokens, p.k};
  Tensor weights = rt.empty(choose_experts, Dtype::f32, placing.rows, "weights");
  Tensor experts = rt.empty(choose_experts, Dtype::i32, placing.rows, "experts");
  DPPolicy by_cube = placing.rows;  // one row per cube
  by_cube.num_pes = 1;
  Tensor counts = rt.zeros({placing.groups, p.experts}, Dtype::i32, by_cube, "counts");
  const LaunchMetrics metrics = rt.wait(rt.launch("topk_routing",
                                                  {{"x", x},
                                                   {"w", w},
                                                   {"weights", weights},
                                                   {"experts", experts},
                                                   {"counts", counts},
                                                   {"rows", params.integer("rows")},
                                                   {"depth", params.integer("depth")},
                                                   {"buffers", params.text("variant") == "blocking" ? 1 : 2}},
                                                  placing.where));
  return {std::move(weights), std::move(experts), std::move(counts), metrics};
}

struct Sorted {
  Deployed indices;
  Tensor rows;
  LaunchMetrics metrics;
};

Sorted gather(Runtime& rt, const Params& params, const TopkRouting& p, const Placing& placing, const Tensor& x,
              const std::vector<std::int64_t>& order) {
  const Shape shape{p.tokens * p.k, 1};
  Deployed indices = deploy(rt, shape, Dtype::i32, placing.rows, "order",
                            [&] { return HostArray::from_doubles(shape, Dtype::i32, as_doubles(order)); });
  Tensor out = rt.empty({p.tokens * p.k, p.dim}, p.dtype, placing.rows, "sorted");
  const LaunchMetrics metrics = rt.wait(rt.launch(
      "gather_rows", {{"table", x}, {"indices", indices.tensor}, {"out", out}, {"rows", params.integer("gathered")}},
      placing.where));
  return {std::move(indices), std::move(out), metrics};
}

void add_figures(WorkloadResult& result, const TopkRouting& p, const LaunchMetrics& routing,
                 const LaunchMetrics& gathering) {
  add_launch_figures(result, routing, "routing");
  add_engine_shares(result, routing);
  add_launch_figures(result, gathering, "gather");
  const auto elements = static_cast<double>(element_count({p.tokens * p.k, p.dim}));
  add_rate(result, "gather traffic", 2 * elements * static_cast<double>(item_size(p.dtype)), gathering.exec_max, "GB/s",
           "bytes read and written over the critical path");
  add_pe_count(result, routing.pes);
}

WorkloadResult run_topk_routing(Runtime& rt, const Params& params) {
  const TopkRouting p = routing_of(params);
  const Contents contents = contents_of(params);
  const Placing placing(rt, params.text("pes") == "one");
  const Deployed x =
      deploy(rt, {p.tokens, p.dim}, p.dtype, placing.rows, "X", [&] { return p.x(contents, rt.seed()); });
  const Deployed w =
      deploy(rt, {p.dim, p.experts}, p.dtype, placing.copies, "W", [&] { return p.w(contents, rt.seed() + 1); });
  const Routed routed = route(rt, params, p, placing, x.tensor, w.tensor);
  const HostArray experts = routed.experts.to_host(), weights = routed.weights.to_host();

  // The host decides the routing of rows, like inference schedulers; a kernel that reads data which was just computed
  // would need --data eager.
  const std::vector<std::int64_t> choose_experts = experts.to_integers();
  const std::vector<std::int64_t> order = tokens_by_expert(p, choose_experts);
  const Sorted sorted = gather(rt, params, p, placing, x.tensor, order);
  const HostArray counts = routed.counts.to_host(), rows = sorted.rows.to_host();

  WorkloadResult result;
  add_figures(result, p, routed.metrics, sorted.metrics);
  if (!can_verify(rt, result)) return result;
  const TopkVerdict verdict = topk_verdict(p, x.values, w.values, weights, experts);
  result.verification = {verdict.experts, verdict.weights, expert_counts_row(p, counts, choose_experts),
                         sorted_tokens_row(x.values, order, rows)};
  if (verdict.tokens < static_cast<std::size_t>(p.tokens)) {
    result.notes.push_back(fmt::format("experts and weights: {} of {} tokens were verified", verdict.tokens, p.tokens));
  }
  return result;
}

}  // namespace

Workload topk_routing_workload() {
  return {"topk-routing",
          "router of a mixture of experts: each token's k best experts, counts, and tokens sorted by expert",
          {Parameter::integer("tokens", 256, "split over the PEs", 1, "tokens"),
           Parameter::integer("dim", 4096, "elements of a token", 1, "elements"),
           Parameter::integer("experts", 64, "columns of the router's weights"),
           Parameter::integer("k", 2, "experts of a token"),
           Parameter::choice("variant", "double_buffered", {"double_buffered", "blocking"},
                             "loads that run ahead of the computation, or one after the other")
               .tuning(),
           Parameter::choice("pes", "one", {"one", "all"},
                             "PE 0 of cube 0, or all of one SIP with a copy of the router each"),
           Parameter::integer("rows", 64, "tokens that a PE routes at a time", 1, "tokens").tuning(),
           Parameter::integer("depth", 1024, "of their elements at a time", 1, "elements"),
           Parameter::integer("gathered", 8, "tokens that a PE gathers at a time", 1, "tokens"),
           Parameter::choice("dtype", "f16", {"f16", "bf16", "f32"}, "element type of tokens and router"),
           data_parameter()},
          run_topk_routing};
}

}  // namespace kb::sw
