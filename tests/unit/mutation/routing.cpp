// The router of a mixture of experts: its choices, their counts, and the tokens in the order of their experts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "sw/workloads/support.h"
#include "sw/workloads/topk_routing.h"
#include "tests/unit/mutation/mutation.h"

namespace kb::mutation {
namespace {

using sw::Contents;
using sw::HostArray;

struct Routing {
  sw::TopkRouting problem;
  HostArray x, w;
  std::vector<std::int64_t> experts;  // (tokens, k), as a machine without a fault chooses
  std::int64_t groups = 1;
};

// The softmax of one token; `fault` is given for one of the tokens.
std::vector<float> softmax(std::vector<float> values, std::optional<Fault> fault, Random& random) {
  if (fault == Fault::no_epilogue) return values;
  const float peak = std::accumulate(values.begin(), values.end(), values.front(), larger);
  const std::size_t lost = fault == Fault::lost_term ? random.bits() % values.size() : values.size();
  float sum = fault == Fault::stale_accumulator ? 1 : 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(std::exp(static_cast<double>(values[i] - peak)));
    if (i != lost) sum += values[i];
  }
  if (fault == Fault::wrong_scale) sum *= 2;
  for (float& value : values) value /= sum;
  return values;
}

// NaNs go before all, as in topk.
bool goes_before(float x, float y) {
  return std::isnan(x) || std::isnan(y) ? std::isnan(x) && !std::isnan(y) : x > y;
}

// (tokens, 2 k): the experts and then the weights of each token. A fault is in the product or in one token's softmax.
HostArray chosen(const Routing& given, std::optional<Fault> fault, Random& random) {
  const sw::TopkRouting& p = given.problem;
  const auto k = static_cast<std::size_t>(p.k);
  const bool in_product = (fault == Fault::lost_term || fault == Fault::stale_accumulator) && random.between(0, 1) == 0;
  const Matrix logits =
      product(matrix_of(given.x), matrix_of(given.w),
              {in_product && fault == Fault::lost_term, in_product && fault != Fault::lost_term}, random);
  const std::size_t faulty = random.bits() % logits.rows;
  std::vector<double> out;
  for (std::size_t row = 0; row < logits.rows; ++row) {
    std::vector<std::size_t> order(logits.cols);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return goes_before(logits.at(row, a), logits.at(row, b)); });
    std::vector<float> values;
    for (std::size_t i = 0; i < k; ++i) {
      out.push_back(static_cast<double>(order[i]));
      values.push_back(logits.at(row, order[i]));
    }
    const bool here = row == faulty && !in_product;
    for (const float weight : softmax(values, here ? fault : std::nullopt, random)) {
      out.push_back(static_cast<double>(weight));
    }
  }
  return HostArray::from_doubles({p.tokens, 2 * p.k}, Dtype::f32, out);
}

// What was chosen wrong, or how it was weighed.
data::VerificationRow verdict(const Routing& given, const HostArray& both) {
  const sw::TopkRouting& p = given.problem;
  const std::vector<double> values = both.to_doubles();
  std::vector<double> experts, weights;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool weight = static_cast<std::int64_t>(i) % (2 * p.k) >= p.k;
    const bool whole = std::fabs(values[i]) < 1e9 && values[i] == std::floor(values[i]);  // but with a fault
    (weight ? weights : experts).push_back(weight || whole ? values[i] : -1);
  }
  const Shape shape{p.tokens, p.k};
  const sw::TopkVerdict out = sw::topk_verdict(p, given.x, given.w, HostArray::from_doubles(shape, Dtype::f32, weights),
                                               HostArray::from_doubles(shape, Dtype::i32, experts));
  return out.experts.ok ? out.weights : out.experts;
}

std::shared_ptr<Routing> draw(Random& random, Contents contents) {
  const auto given = std::make_shared<Routing>();
  sw::TopkRouting& p = given->problem;
  p.dtype = random.one_of<Dtype>({Dtype::f16, Dtype::bf16, Dtype::f32});
  p.tokens = random.between(24, 40);
  p.dim = random.between(24, 80);
  p.experts = random.between(4, 8);
  p.k = random.between(2, 3);
  given->groups = random.between(1, 3);
  given->x = p.x(contents, random.bits());
  given->w = p.w(contents, random.bits());
  const std::vector<double> both = chosen(*given, std::nullopt, random).to_doubles();
  for (std::size_t i = 0; i < both.size(); ++i) {
    if (static_cast<std::int64_t>(i) % (2 * p.k) < p.k) given->experts.push_back(static_cast<std::int64_t>(both[i]));
  }
  return given;
}

std::string text_of(const Routing& given) {
  const sw::TopkRouting& p = given.problem;
  return fmt::format("{} {} tokens of {}, {} of {} experts, {} groups", dtype_name(p.dtype), p.tokens, p.dim, p.k,
                     p.experts, given.groups);
}

Workload choices() {
  Workload out{"topk-routing choices",
               [](Random& random, Contents contents) {
                 const auto given = draw(random, contents);
                 return Trial{text_of(*given),
                              [given](auto fault, Random& r) -> std::optional<HostArray> {
                                if (of_memory(fault)) return std::nullopt;
                                return chosen(*given, fault, r);
                              },
                              [given](const HostArray& both) { return verdict(*given, both); },
                              {&given->x, &given->w}};
               },
               {}};
  out.masks = true;  // a logit that is not chosen changes nothing
  return out;
}

// A token counts in the group of its number; the counts of a group may be lost, begin too high or be added twice.
HostArray counted(const Routing& given, std::optional<Fault> fault, Random& random) {
  const sw::TopkRouting& p = given.problem;
  const std::size_t faulty = random.bits() % given.experts.size();
  std::vector<double> counts(static_cast<std::size_t>(given.groups * p.experts));
  if (fault == Fault::stale_accumulator) counts[random.bits() % counts.size()] += 1;
  for (std::size_t i = 0; i < given.experts.size(); ++i) {
    if (fault == Fault::lost_term && i == faulty) continue;
    const std::int64_t group = static_cast<std::int64_t>(i) / p.k % given.groups;
    counts[static_cast<std::size_t>(group * p.experts + given.experts[i])] += 1;
  }
  if (fault == Fault::shard_twice) {
    for (std::int64_t i = 0; i < p.experts; ++i) counts[static_cast<std::size_t>(i)] *= 2;
  }
  return HostArray::from_doubles({given.groups, p.experts}, Dtype::i32, counts);
}

Workload counts() {
  Workload out{"topk-routing counts",
               [](Random& random, Contents contents) {
                 const auto given = draw(random, contents);
                 return Trial{text_of(*given),
                              [given](auto fault, Random& r) -> std::optional<HostArray> {
                                if (of_memory(fault) && fault != Fault::shard_twice) return std::nullopt;
                                return counted(*given, fault, r);
                              },
                              [given](const HostArray& its) {
                                return sw::expert_counts_row(given->problem, its, given->experts);
                              },
                              {}};
               },
               {{Fault::no_epilogue, "nothing follows the counts"},
                {Fault::swapped_rows, "rows are added up"},
                {Fault::wrong_scale, "there is no factor"}}};
  out.integers = true;
  return out;
}

Workload sorted_tokens() {
  return {"topk-routing sorted",
          [](Random& random, Contents contents) {
            const auto given = draw(random, contents);
            const auto order = sw::tokens_by_expert(given->problem, given->experts);
            return Trial{text_of(*given),
                         [given, order](auto fault, Random&) -> std::optional<HostArray> {
                           if (fault) return std::nullopt;
                           const Matrix x = matrix_of(given->x);
                           Matrix out{0, x.cols, {}};
                           for (const std::int64_t token : order) {
                             const Matrix row = part_of_rows(x, static_cast<std::size_t>(token), 1);
                             out.values.insert(out.values.end(), row.values.begin(), row.values.end());
                             ++out.rows;
                           }
                           return stored(out, given->problem.dtype);
                         },
                         [given, order](const HostArray& its) { return sw::sorted_tokens_row(given->x, order, its); },
                         {&given->x}};
          },
          {{Fault::lost_term, "nothing is added up"},
           {Fault::no_epilogue, "nothing follows the copy"},
           {Fault::stale_accumulator, "there is no accumulator"},
           {Fault::wrong_scale, "there is no factor"}}};
}

}  // namespace

std::vector<Workload> routing_workloads() {
  return {choices(), counts(), sorted_tokens()};
}

}  // namespace kb::mutation
