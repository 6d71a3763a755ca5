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
};

struct Inputs {
  Matrix q, k, v;
};

// Numbers of rows or keys, and where they lie.
struct Rows {
  std::vector<std::int64_t> numbers;
  Matrix values;
};

Rows of_head(const AttentionProblem& p, const Matrix& all, std::int64_t group, std::int64_t rank, std::int64_t head,
             std::int64_t places, const std::vector<std::int64_t>& numbers) {
  return {numbers, part_of_rows(all, static_cast<std::size_t>(((group * p.ranks + rank) * p.heads + head) * places),
                                numbers.size())};
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

// Places of keys of a rank that are attended to together: in prefill a piece of its early and of its late keys, or all.
std::vector<std::vector<std::size_t>> blocks_of(const AttentionProblem& p, const std::vector<std::int64_t>& keys) {
  std::vector<std::vector<std::size_t>> out;
  const auto most = static_cast<std::size_t>(p.keys);
  if (!p.panel.prefill || p.context <= p.keys * p.ranks) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i % most == 0 || p.panel.prefill) out.resize(p.panel.prefill ? 1 : i / most + 1);
      out.back().push_back(i);
    }
    out.resize(std::max<std::size_t>(1, out.size()));
    return out;
  }
  std::size_t early = 1;
  while (early < keys.size() && keys[early] == keys[early - 1] + 1) ++early;
  if (early == keys.size()) early = (keys.size() + 1) / 2;  // of the last rank: one sequence
  const std::size_t half = most / 2;
  const auto longest = static_cast<std::size_t>((p.context + 2 * p.ranks - 1) / (2 * p.ranks));
  for (std::size_t first = 0; first < longest; first += half) {
    out.emplace_back();
    for (std::size_t i = first; i < std::min(first + half, early); ++i) out.back().push_back(i);
    for (std::size_t i = early + first; i < std::min(early + first + half, keys.size()); ++i) out.back().push_back(i);
  }
  return out;
}

// One rank's rows of a head.
class Attending {
 public:
  Attending(const Given& given, const Inputs& in, std::int64_t group, std::int64_t rank, std::int64_t head,
            AttentionFault fault)
      : p_(given.problem),
        in_(in),
        group_(group),
        head_(head),
        q_(of_head(p_, in.q, group, rank, head, p_.row_places(), p_.rows_of(rank))),
        sum_(p_.dtype, q_.numbers.size(), static_cast<std::size_t>(p_.d), fault) {}

  void attend(std::int64_t from, std::size_t block, Random& random) {
    const std::vector<std::int64_t> numbers = p_.keys_of(from);
    const Rows k = of_head(p_, in_.k, group_, from, head_, p_.key_places(), numbers);
    const Rows v = of_head(p_, in_.v, group_, from, head_, p_.key_places(), numbers);
    const std::vector<std::size_t> places = blocks_of(p_, numbers)[block];
    const auto picked = [&](const Matrix& all) {
      Matrix out{0, all.cols, {}};
      for (const std::size_t place : places) {
        const Matrix row = part_of_rows(all, place, 1);
        ++out.rows;
        out.values.insert(out.values.end(), row.values.begin(), row.values.end());
      }
      return out;
    };
    const auto sees = [&](std::size_t row, std::size_t key) {
      return !p_.causal || numbers[places[key]] <= p_.context - p_.s_q + q_.numbers[row] / p_.q_per_kv;
    };
    sum_.attend(q_.values, picked(k.values), picked(v.values), sees, random);
  }
  std::size_t blocks(std::int64_t from) const { return blocks_of(p_, p_.keys_of(from)).size(); }
  OnlineAttention& sum() { return sum_; }

 private:
  const AttentionProblem& p_;
  const Inputs& in_;
  std::int64_t group_, head_;
  Rows q_;
  OnlineAttention sum_;
};

Matrix attend(const Given& given, const Inputs& in, std::int64_t group, std::int64_t rank, std::int64_t head,
              AttentionFault fault, Random& random) {
  const AttentionProblem& p = given.problem;
  Attending own(given, in, group, rank, head, fault);
  if (p.panel.prefill) {
    for (std::size_t block = 0; block < own.blocks(0); ++block) {
      for (const std::int64_t from : arriving(p, rank)) own.attend(from, block, random);
    }
    return own.sum().result();
  }
  for (std::int64_t other = 0; other < p.ranks; ++other) {
    Attending part(given, in, group, other, head, {});
    Attending& its = other == 0 ? own : part;
    for (std::size_t block = 0; block < its.blocks(other); ++block) its.attend(other, block, random);
    if (other > 0) own.sum().merge(part.sum());
  }
  return own.sum().result();
}

std::optional<HostArray> compute(const Given& given, std::optional<Fault> fault, Random& random) {
  if (of_memory(fault)) return std::nullopt;
  const AttentionProblem& p = given.problem;
  const Inputs in{matrix_of(given.contents.q), matrix_of(given.contents.k), matrix_of(given.contents.v)};
  const std::int64_t group = random.between(0, p.groups - 1), head = random.between(0, p.heads - 1);
  const std::int64_t faulty_rank = random.one_of(given.ranks);
  const AttentionFault place{fault, random.bits() % p.rows_of(faulty_rank).size(), 0};
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
  Workload out{
      "attention " + name,
      [name](Random& random, Contents contents) {
        const auto given = std::make_shared<Given>();
        AttentionProblem& p = given->problem;
        p.panel = sw::find_attention_panel(name);
        p.dtype = random.one_of<Dtype>({Dtype::f16, Dtype::bf16, Dtype::f32});
        p.d = random.one_of<std::int64_t>({16, 32, 64});
        p.ranks = random.between(2, 4);
        p.groups = random.between(1, 2);
        p.heads = random.between(1, 2);
        p.q_per_kv = random.between(1, 3);
        p.s_q = p.panel.prefill ? p.ranks * random.between(2, 4) + random.between(0, 2) : random.between(1, 4);
        p.context = p.s_q + random.between(4, 40) * p.ranks;
        p.causal = random.between(0, 1) == 1;
        p.keys = 2 * random.between(2, 24);
        given->contents = sw::attention_contents(p, contents, random.bits());
        for (std::int64_t rank = 0; rank < (p.panel.prefill ? p.ranks : 1); ++rank) given->ranks.push_back(rank);
        return Trial{
            fmt::format("{} d {}, {} ranks, {} x {} heads, {} x {} rows, {} of {} keys{}", dtype_name(p.dtype), p.d,
                        p.ranks, p.groups, p.heads, p.s_q, p.q_per_kv, p.keys, p.context, p.causal ? ", causal" : ""),
            [given](auto fault, Random& r) { return compute(*given, fault, r); },
            [given](const HostArray& o) { return sw::attention_row(given->problem, given->ranks, given->contents, o); },
            {&given->contents.q, &given->contents.k, &given->contents.v}};
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
