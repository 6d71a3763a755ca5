// Paged attention as the guide has it, whose block table comes to the kernel in many ways: data mode off knows it in
// some of them, and has to say so in the others.
#include <cmath>
#include <vector>

#include "sw/distributed/queue_installation.h"
#include "sw/plugin/plugin.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/support.h"
#include "tests/unit/kernels/guide_paged_kernel.h"

namespace {

using kb::Dtype;
using kb::tl::Context;
using kb::tl::Ptr;
using namespace kb::sw;

// The rows of `from` that this PE owns, to the same rows of `to`, which are zeros.
void move_table(Context& tl, Ptr from, Ptr to, const std::string& path) {
  const kb::tl::LocalShard mine = tl.shard(from);
  if (mine.elements == 0) return;
  const kb::Shape shape{mine.elements};
  const Ptr target = to + mine.first;
  if (path == "message") {  // once around the ring
    auto numbers = tl.load(from + mine.first, shape);
    for (std::int64_t i = 0; i < tl.num_programs(0); ++i) {
      tl.send("E", numbers);
      numbers = tl.recv("W", shape, from.dtype());
    }
    return tl.store(target, numbers);
  }
  const auto numbers = tl.load(from + mine.first, shape);
  const auto places = tl.arange(0, mine.elements, Dtype::i32);
  if (path == "kernel") tl.store(target, numbers);
  if (path == "scatter") tl.scatter(target, places, numbers);
  if (path == "mask") tl.store(target, numbers, tl.full(shape, 1, Dtype::i8));
  if (path == "arithmetic") tl.store(target, (numbers + 3) * 2 / 2 - 3);
  if (path == "where") tl.store(target, tl.where(tl.ge(numbers, 0), numbers, 0));
  if (path == "atomic_add") tl.atomic_add(target, numbers);
  if (path == "cast") tl.store(target, tl.cast(tl.cast(numbers, Dtype::f32), from.dtype()));
  if (path == "unknown_rows") {  // what is known goes where nobody knows
    const auto unknown = tl.cast(tl.cast(places, Dtype::f32), Dtype::i32);
    tl.scatter(target, unknown, numbers);
  }
  if (path == "looked_at") {
    std::vector<std::int64_t> rows;
    for (const auto number : numbers.read<std::int64_t>()) rows.push_back(number);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      tl.store(target + static_cast<std::int64_t>(i), tl.full({1}, rows[i], from.dtype()));
    }
  }
}

struct Problem {
  std::int64_t requests, pages, page, pool, d, spare;
  Dtype numbers;
};

HostArray table_of(const Problem& p, std::uint64_t seed) {
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < p.requests * p.pages; ++i) {
    const std::uint64_t random = (static_cast<std::uint64_t>(i) + seed) * 0x9e3779b97f4a7c15u;
    numbers.push_back(static_cast<double>((random >> 40) % static_cast<std::uint64_t>(p.pool)));
  }
  numbers.resize(static_cast<std::size_t>((p.requests + p.spare) * p.pages));
  return HostArray::from_doubles({p.requests + p.spare, p.pages}, p.numbers, numbers);
}

// The table on the device, by way of `way`.
Tensor deployed(Runtime& rt, const Problem& p, const std::string& path, const DPPolicy& rows, const Tensor& other) {
  const HostArray numbers = table_of(p, rt.seed());
  const Tensor table = rt.zeros(numbers.shape(), numbers.dtype(), rows, "table");
  const auto staging = [&] {
    const Tensor first = rt.empty(numbers.shape(), numbers.dtype(), rows, "first");
    first.copy_(numbers);
    return first;
  };
  if (path == "host") {
    table.copy_(numbers);
  } else if (path == "placeholder") {
    table.copy_(rt.computes_data() ? numbers : HostArray::unknown(numbers.shape(), numbers.dtype()));
  } else if (path == "from_host") {
    table.copy_(rt.from_host(numbers));
  } else if (path == "tensor") {
    table.copy_(staging());
  } else if (path == "host_read") {  // of what is known
    table.copy_(staging().to_host());
  } else if (path == "elements") {
    const DPPolicy whole = one_pe_placement();
    const Tensor first = rt.zeros(numbers.shape(), numbers.dtype(), whole, "first");
    for (std::int64_t i = 0; i < p.requests; ++i) {
      for (std::int64_t j = 0; j < p.pages; ++j) first.set(i, j, numbers.at(i, j));
    }
    table.copy_(first);
  } else if (path == "after_read" || path == "after_read_said" || path == "after_print" || path == "after_copy") {
    if (path == "after_print") other.to_string();
    if (path == "after_copy") rt.empty(other.shape(), other.dtype(), other.policy()).copy_(other);
    if (path == "after_read" || path == "after_read_said") other.to_host();
    if (path == "after_read_said") rt.assume_independent_writes();
    table.copy_(numbers);
  } else {
    const Tensor first = staging();
    LaunchOptions where;
    where.cubes = {0};
    rt.wait(rt.launch("move_table", {{"from", first}, {"to", table}, {"way", path}}, where));
  }
  return table;
}

std::vector<double> attention(const Problem& p, const HostArray& q, const HostArray& k, const HostArray& v,
                              const HostArray& table) {
  std::vector<double> out;
  for (std::int64_t r = 0; r < p.requests; ++r) {
    std::vector<double> weights, result(static_cast<std::size_t>(p.d));
    double sum = 0;
    const auto element = [&](const HostArray& pool, std::int64_t token, std::int64_t i) {
      const auto page = static_cast<std::int64_t>(table.at(r, token / p.page));
      return pool.at(page, token % p.page * p.d + i);
    };
    for (std::int64_t token = 0; token < p.pages * p.page; ++token) {
      double score = 0;
      for (std::int64_t i = 0; i < p.d; ++i) score += q.at(r, i) * element(k, token, i);
      weights.push_back(std::exp(score / std::sqrt(static_cast<double>(p.d))));
      sum += weights.back();
    }
    for (std::int64_t token = 0; token < p.pages * p.page; ++token) {
      for (std::int64_t i = 0; i < p.d; ++i) {
        result[static_cast<std::size_t>(i)] += weights[static_cast<std::size_t>(token)] / sum * element(v, token, i);
      }
    }
    out.insert(out.end(), result.begin(), result.end());
  }
  return out;
}

WorkloadResult run_paged(Runtime& rt, const Params& params) {
  const Problem p{params.integer("requests"), params.integer("pages"), params.integer("page"), params.integer("pool"),
                  params.integer("d"),        params.integer("spare"), params.dtype("numbers")};
  DPPolicy rows;
  rows.pe = Split::row_wise;
  rows.num_cubes = 1;
  const QueueInstallation queues(rt, kb::topology::WiringPreset::intracube_ring);
  const HostArray q = HostArray::random({p.requests, p.d}, Dtype::f16, rt.seed());
  const HostArray k = HostArray::random({p.pool, p.page * p.d}, Dtype::f16, rt.seed() + 1);
  const HostArray v = HostArray::random({p.pool, p.page * p.d}, Dtype::f16, rt.seed() + 2);
  const Tensor dq = rt.empty(q.shape(), Dtype::f16, rows, "q"), dk = rt.empty(k.shape(), Dtype::f16, rows, "keys"),
               dv = rt.empty(v.shape(), Dtype::f16, rows, "values"), out = rt.empty(q.shape(), Dtype::f16, rows, "out");
  dq.copy_(q);
  dk.copy_(k);
  dv.copy_(v);
  const Tensor table = deployed(rt, p, params.text("way"), rows, dq);
  LaunchOptions where;
  where.cubes = {0};
  const LaunchMetrics metrics = rt.wait(
      rt.launch("paged_attention", {{"q", dq}, {"keys", dk}, {"values", dv}, {"table", table}, {"out", out}}, where));
  WorkloadResult result;
  add_launch_figures(result, metrics);
  const HostArray actual = out.to_host();
  if (!can_verify(rt, result)) return result;
  const std::vector<double> expected = attention(p, q, k, v, table_of(p, rt.seed()));
  verify_values(rt, result, "out", actual, expected, 8, std::vector<double>(expected.size(), 1));
  return result;
}

}  // namespace

KERNBENCH_PLUGIN(registrar) {
  registrar.add_kernel(paged_attention_kernel());
  registrar.add_kernel(kb::tl::make_kernel("move_table", "a table by some way", {"from", "to", "way"}, move_table));
  registrar.add_workload(
      {"page-table",
       "decode of requests whose keys and values lie in pages",
       {Parameter::integer("requests", 16, "split over the PEs of cube 0"),
        Parameter::integer("pages", 6, "of a request"), Parameter::integer("page", 16, "tokens of a page"),
        Parameter::integer("pool", 64, "pages of all requests"), Parameter::integer("d", 64, "elements of a token"),
        Parameter::integer("spare", 0, "rows of the table that nobody uses", 0),
        Parameter::choice("numbers", "i32", {"i8", "i16", "i32", "i64"}, "dtype of the table"),
        Parameter::choice("way", "host",
                          {"host",         "placeholder",     "from_host",   "tensor",     "host_read", "elements",
                           "after_read",   "after_read_said", "after_print", "after_copy", "kernel",    "scatter",
                           "mask",         "arithmetic",      "where",       "atomic_add", "message",   "cast",
                           "unknown_rows", "looked_at"},
                          "how the table comes to the kernel")},
       run_paged});
}
