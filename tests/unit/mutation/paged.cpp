// Attention over a paged cache, decode and chunks.
#include <fmt/format.h>

#include <memory>

#include "sw/workloads/paged_attention_reference.h"
#include "sw/workloads/support.h"
#include "tests/unit/mutation/mutation.h"
#include "tests/unit/mutation/online_attention.h"

namespace kb::mutation {
namespace {

using sw::Contents;
using sw::HostArray;

struct PagedCase {
  sw::PagedProblem problem;
  std::vector<sw::AttentionItem> items;
  HostArray q, k, v;
};

Matrix rows_at(const Matrix& all, const std::vector<std::int64_t>& rows) {
  Matrix out{rows.size(), all.cols, {}};
  for (const std::int64_t row : rows) {
    const auto at = all.values.begin() + row * static_cast<std::int64_t>(all.cols);
    out.values.insert(out.values.end(), at, at + static_cast<std::int64_t>(all.cols));
  }
  return out;
}

// Rows of d elements.
Matrix as_rows(const HostArray& array, std::int64_t d) {
  std::vector<float> values;
  for (const double value : array.to_doubles()) values.push_back(static_cast<float>(value));
  const auto width = static_cast<std::size_t>(d);
  return {values.size() / width, width, std::move(values)};
}

Matrix attend(const PagedCase& given, const sw::AttentionItem& item, AttentionFault fault, Random& random) {
  const sw::PagedProblem& p = given.problem;
  const Matrix q = as_rows(given.q, p.d), k = as_rows(given.k, p.d), v = as_rows(given.v, p.d);
  const std::int64_t group = p.heads / p.kv_heads, row = p.sequences[item.sequence].first_row + item.token;
  std::vector<std::int64_t> heads;
  for (std::int64_t i = 0; i < group; ++i) heads.push_back((item.kv_head * group + i) * p.rows() + row);
  const Matrix own = rows_at(q, heads);
  std::optional<OnlineAttention> sum;
  for (const sw::KeySteps& steps : sw::attention_parts(p, item)) {
    OnlineAttention part(p.dtype, own.rows, own.cols, sum ? AttentionFault{} : fault);
    for (std::vector<std::int64_t> keys : steps) {
      for (std::int64_t& slot : keys) slot = slot * p.kv_heads + item.kv_head;
      part.attend(own, rows_at(k, keys), rows_at(v, keys), {}, random);
    }
    if (sum) {
      sum->merge(part);
    } else {
      sum = part;
    }
  }
  return sum->result();
}

std::optional<HostArray> compute(const PagedCase& given, std::optional<Fault> fault, Random& random) {
  if (of_memory(fault)) return std::nullopt;
  const std::size_t faulty = random.bits() % given.items.size();
  Matrix out{0, static_cast<std::size_t>(given.problem.d), {}};
  for (std::size_t i = 0; i < given.items.size(); ++i) {
    AttentionFault its;
    const auto group = static_cast<std::size_t>(given.problem.heads / given.problem.kv_heads);
    if (i == faulty) its = {fault, random.bits() % group, 0};
    const Matrix rows = attend(given, given.items[i], its, random);
    out.rows += rows.rows;
    out.values.insert(out.values.end(), rows.values.begin(), rows.values.end());
  }
  return stored(out, given.problem.dtype);
}

std::shared_ptr<PagedCase> drawn(Random& random, Contents contents) {
  const auto given = std::make_shared<PagedCase>();
  sw::PagedProblem& p = given->problem;
  p.dtype = random.one_of<Dtype>({Dtype::f16, Dtype::bf16, Dtype::f32});
  p.d = random.one_of<std::int64_t>({16, 32});
  p.kv_heads = random.between(1, 2);
  p.heads = p.kv_heads * random.between(2, 4);
  p.window = random.between(0, 1) == 0 ? 0 : random.between(5, 40);
  p.cache.page = random.one_of<std::int64_t>({4, 16});
  p.cache.machine = {random.between(1, 2), random.between(1, 3)};
  std::vector<std::int64_t> contexts;
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::int64_t tokens = i == 2 ? random.between(2, 5) : 1;
    contexts.push_back(tokens + random.between(3, 60));
    p.sequences.push_back({p.rows(), tokens, contexts.back(), {}});
  }
  p.cache.blocks = 60;
  const auto tables = contract::canonical_tables(contexts, p.cache);
  for (std::size_t i = 0; i < tables.size(); ++i) p.sequences[i].blocks = tables[i];
  given->items = sw::attention_items(p, 1e9);
  const Shape cache{p.cache.blocks, p.cache.page, p.kv_heads, p.d};
  given->q = sw::softmax_contents(contents, {p.heads, p.rows(), p.d}, p.dtype, random.bits());
  given->k = sw::softmax_contents(contents, cache, p.dtype, random.bits());
  given->v = sw::plain_contents(contents, cache, p.dtype, random.bits());
  return given;
}

}  // namespace

std::vector<Workload> paged_workloads() {
  Workload out{
      "paged-attention",
      [](Random& random, Contents contents) {
        const std::shared_ptr<PagedCase> given = drawn(random, contents);
        const sw::PagedProblem& p = given->problem;
        return Trial{
            fmt::format("{} d {}, {} of {} heads, window {}", dtype_name(p.dtype), p.d, p.kv_heads, p.heads, p.window),
            [given](auto fault, Random& r) { return compute(*given, fault, r); },
            [given](const HostArray& o) {
              return sw::bounded_row("O", o, sw::attended(given->problem, given->items, given->q, given->k, given->v),
                                     {});
            },
            {&given->q, &given->k, &given->v}};
      },
      {}};
  out.masks = true;  // keys with one score have one weight, whatever the scale is
  return {out};
}

}  // namespace kb::mutation
