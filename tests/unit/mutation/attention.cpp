// The four attention panels.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "sw/workloads/attention_problem.h"
#include "tests/unit/mutation/mutation.h"
#include "tests/unit/mutation/online_attention.h"

namespace kb::mutation {
namespace {

using sw::AttentionContents;
using sw::AttentionProblem;
using sw::Contents;
using sw::HostArray;

struct Given {
  AttentionProblem problem;
  AttentionContents contents;
  std::vector<std::int64_t> ranks;
  std::int64_t slot = 0;
};

Matrix of_head(const AttentionProblem& p, const Matrix& all, std::int64_t group, std::int64_t rank, std::int64_t head,
               std::int64_t rows) {
  return part_of_rows(all, static_cast<std::size_t>(((group * p.ranks + rank) * p.heads + head) * rows),
                      static_cast<std::size_t>(rows));
}

// Ranks in the order in which their keys come to `rank`.
std::vector<std::int64_t> arriving(const AttentionProblem& p, std::int64_t rank) {
  std::vector<std::int64_t> order;
  for (std::int64_t step = 0; step < p.ranks; ++step) {
    if (p.panel.rank_axis == 0) {
      order.push_back((rank + p.ranks - step) % p.ranks);
      continue;
    }
    if (rank >= step) order.push_back(rank - step);
    if (step > 0 && rank + step < p.ranks) order.push_back(rank + step);
  }
  return order;
}

struct Inputs {
  Matrix q, k, v;
};

Matrix attend(const Given& given, const Inputs& in, std::int64_t group, std::int64_t rank, std::int64_t head,
              AttentionFault fault, Random& random) {
  const AttentionProblem& p = given.problem;
  const auto rows = static_cast<std::size_t>(p.rows), d = static_cast<std::size_t>(p.d);
  const Matrix q = of_head(p, in.q, group, rank, head, p.rows);
  const auto k = [&](std::int64_t from) { return of_head(p, in.k, group, from, head, p.keys); };
  const auto v = [&](std::int64_t from) { return of_head(p, in.v, group, from, head, p.keys); };
  if (!p.panel.prefill) {
    OnlineAttention sum(p.dtype, rows, d, fault);
    sum.attend(q, k(0), v(0), {}, random);
    for (std::int64_t other = 1; other < p.ranks; ++other) {
      OnlineAttention part(p.dtype, rows, d, {});
      part.attend(q, k(other), v(other), {}, random);
      sum.merge(part);
    }
    return sum.result();
  }
  OnlineAttention own(p.dtype, rows, d, fault);
  const std::int64_t step = given.slot / (p.d * static_cast<std::int64_t>(item_size(p.dtype)));
  for (std::int64_t first = 0; first < p.keys; first += step) {
    const auto count = static_cast<std::size_t>(std::min(step, p.keys - first));
    for (const std::int64_t from : arriving(p, rank)) {
      own.attend(q, part_of_rows(k(from), static_cast<std::size_t>(first), count),
                 part_of_rows(v(from), static_cast<std::size_t>(first), count), {}, random);
    }
  }
  return own.result();
}

std::optional<HostArray> compute(const Given& given, std::optional<Fault> fault, Random& random) {
  if (of_memory(fault)) return std::nullopt;
  const AttentionProblem& p = given.problem;
  const Inputs in{matrix_of(given.contents.q), matrix_of(given.contents.k), matrix_of(given.contents.v)};
  const std::int64_t group = random.between(0, p.groups - 1), head = random.between(0, p.heads - 1);
  const std::int64_t faulty_rank = random.one_of(given.ranks);
  const AttentionFault place{fault, random.bits() % static_cast<std::size_t>(p.rows), 0};
  Matrix out{0, static_cast<std::size_t>(p.d), {}};
  for (std::int64_t g = 0; g < p.groups; ++g) {
    for (const std::int64_t rank : given.ranks) {
      for (std::int64_t h = 0; h < p.heads; ++h) {
        const bool faulty = g == group && h == head && rank == faulty_rank;
        const Matrix rows = attend(given, in, g, rank, h, faulty ? place : AttentionFault{}, random);
        out.rows += rows.rows;
        out.values.insert(out.values.end(), rows.values.begin(), rows.values.end());
      }
    }
  }
  return stored(out, p.dtype);
}

Workload panel(const std::string& name) {
  Workload out{"attention " + name,
               [name](Random& random, Contents contents) {
                 const auto given = std::make_shared<Given>();
                 AttentionProblem& p = given->problem;
                 p.panel = sw::find_attention_panel(name);
                 p.dtype = random.one_of<Dtype>({Dtype::f16, Dtype::bf16, Dtype::f32});
                 p.d = random.one_of<std::int64_t>({16, 32, 64});
                 p.ranks = random.between(2, 4);
                 p.groups = random.between(1, 2);
                 p.heads = random.between(1, 2);
                 p.rows = random.between(2, 6);
                 p.keys = random.between(4, 40);
                 given->slot = p.d * static_cast<std::int64_t>(item_size(p.dtype)) * random.between(4, 48);
                 given->contents = sw::attention_contents(p, contents, random.bits());
                 for (std::int64_t rank = 0; rank < (p.panel.prefill ? p.ranks : 1); ++rank)
                   given->ranks.push_back(rank);
                 return Trial{fmt::format("{} d {}, {} ranks, {} x {} heads, {} rows, {} keys", dtype_name(p.dtype),
                                          p.d, p.ranks, p.groups, p.heads, p.rows, p.keys),
                              [given](auto fault, Random& r) { return compute(*given, fault, r); },
                              [given](const HostArray& o) {
                                return sw::attention_row(given->problem, given->ranks, given->slot, given->contents, o);
                              }};
               },
               {}};
  out.masks = true;  // keys with one score have one weight, whatever the scale is
  return out;
}

}  // namespace

std::vector<Workload> attention_workloads() {
  std::vector<Workload> out;
  for (const sw::AttentionPanel& its : sw::attention_panels()) out.push_back(panel(its.name));
  return out;
}

}  // namespace kb::mutation
