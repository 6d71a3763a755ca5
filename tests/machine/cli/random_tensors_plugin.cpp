// Random tensors of one to four dimensions in every memory, unevenly split: what is copied in comes out, and what a
// kernel copies from one to another arrives. The oracle deals elements by their coordinates, one by one.
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "kernels/tl/tl.h"
#include "platform/ops/op_types.h"
#include "sw/plugin/plugin.h"
#include "sw/workloads/support.h"

namespace {

using kb::Dtype;
using kb::MemoryKind;
using kb::Shape;
using kb::tl::Context;
using kb::tl::Ptr;
using namespace kb::sw;

constexpr std::int64_t kPiece = 96;

// Each PE copies what it owns of dst from the same places of src in shard order.
void copy_own(Context& tl, Ptr src, Ptr dst) {
  const kb::tl::LocalShard mine = tl.shard(dst);
  tl.require(mine.elements == 0 || kb::element_count(mine.shape) == mine.elements,
             "a shard is not as large as its shape");
  for (std::int64_t at = 0; at < mine.elements; at += kPiece) {
    const kb::tl::Scratch scope(tl);
    const Shape piece{std::min(kPiece, mine.elements - at)};
    tl.store(dst + mine.first + at, tl.load(src + mine.first + at, piece));
  }
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  std::int64_t number(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
  }
  template <typename T>
  T one_of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(list.size()) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

using Range = std::pair<std::int64_t, std::int64_t>;

// Like numpy.array_split.
Range part(Range whole, std::int64_t index, std::int64_t count) {
  const std::int64_t size = whole.second - whole.first;
  std::int64_t begin = whole.first;
  for (std::int64_t i = 0; i < index; ++i) begin += (size - i + count - 1) / count;
  return {begin, begin + (size - index + count - 1) / count};
}

// Row-major indices of a tensor's elements in shard order.
std::vector<std::size_t> shard_order(const Shape& shape, const DPPolicy& policy, std::int64_t cubes, std::int64_t pes) {
  std::vector<std::size_t> order;
  std::set<std::size_t> seen;
  const auto narrow = [&](std::vector<Range> block, Split split, std::int64_t index, std::int64_t count) {
    if (split == Split::row_wise) block.front() = part(block.front(), index, count);
    if (split == Split::column_wise) block.back() = part(block.back(), index, count);
    return block;
  };
  std::vector<Range> whole;
  for (const std::int64_t size : shape) whole.emplace_back(0, size);
  for (std::int64_t cube = 0; cube < cubes; ++cube) {
    for (std::int64_t pe = 0; pe < pes; ++pe) {
      const std::vector<Range> block = narrow(narrow(whole, policy.cube, cube, cubes), policy.pe, pe, pes);
      for (std::size_t index = 0; index < static_cast<std::size_t>(kb::element_count(shape)); ++index) {
        std::size_t rest = index;
        bool inside = true;
        for (std::size_t d = shape.size(); d-- > 0;) {
          const auto at = static_cast<std::int64_t>(rest % static_cast<std::size_t>(shape[d]));
          rest /= static_cast<std::size_t>(shape[d]);
          inside = inside && block[d].first <= at && at < block[d].second;
        }
        if (inside && seen.insert(index).second) order.push_back(index);
      }
    }
  }
  return order;
}

DPPolicy random_policy(Draw& draw, const Runtime& rt, MemoryKind memory) {
  const std::vector<Split> splits{Split::replicate, Split::row_wise, Split::column_wise};
  DPPolicy policy = DPPolicy().in(memory);
  policy.cube = draw.one_of(splits);
  policy.pe = draw.one_of(splits);
  policy.num_pes = static_cast<int>(draw.number(1, rt.machine().pes_per_cube));
  // Copies are visible in their cubes only.
  if (policy.cube != Split::replicate) policy.num_cubes = static_cast<int>(draw.number(1, rt.machine().cubes_per_sip));
  return policy;
}

std::vector<std::size_t> order_of(const Runtime& rt, const Tensor& tensor) {
  const DPPolicy& policy = tensor.policy();
  return shard_order(tensor.shape(), policy, policy.num_cubes.value_or(rt.machine().cubes_per_sip),
                     policy.num_pes.value_or(rt.machine().pes_per_cube));
}

// One verdict per case: the bytes that came out of both tensors.
void run_case(Runtime& rt, WorkloadResult& result, Draw& draw, int number) {
  const std::vector<MemoryKind> memories{MemoryKind::tcm, MemoryKind::sram, MemoryKind::hbm};
  const Dtype dtype = draw.one_of<Dtype>({Dtype::i8, Dtype::f16, Dtype::f32, Dtype::i64});
  Shape shape;
  for (std::int64_t d = draw.number(1, 4); d > 0; --d) shape.push_back(draw.number(1, shape.empty() ? 23 : 9));
  const Tensor src = rt.empty(shape, dtype, random_policy(draw, rt, draw.one_of(memories)), "src");
  const Tensor dst = rt.empty(shape, dtype, random_policy(draw, rt, draw.one_of(memories)), "dst");
  const HostArray values = HostArray::random_integers(shape, dtype, rt.seed() + static_cast<std::uint64_t>(number));
  src.copy_(values);
  rt.wait(rt.launch("copy-own", {{"src", src}, {"dst", dst}}));
  const HostArray back = src.to_host(), copied = dst.to_host();
  if (!can_verify(rt, result)) return;

  const std::vector<double> given = values.to_doubles();
  std::vector<double> expected(given.size());
  const std::vector<std::size_t> from = order_of(rt, src), to = order_of(rt, dst);
  for (std::size_t i = 0; i < from.size(); ++i) expected[to[i]] = given[from[i]];
  const std::string name =
      fmt::format("case {}, {} {} from {} to {}", number, kb::dtype_name(dtype), kb::format_shape(shape),
                  kb::name_of(src.policy().memory), kb::name_of(dst.policy().memory));
  verify_exact(rt, result, name + ", in and out", back, values);
  verify_exact(rt, result, name, copied, HostArray::from_doubles(shape, dtype, expected));
}

struct CompositeForm {
  Ptr a, b, c;
  std::int64_t m = 0, k = 0, n = 0, tile_m = 0, tile_k = 0, tile_n = 0;
  std::int64_t a_loaded = 0, b_transposed = 0, out_in_scratch = 0, product = 0;
};

// c (m, n) = a (m, k) b (k, n), or c = relu(a) when it is no product.
void one_composite(Context& tl, const CompositeForm& form) {
  const std::int64_t m = form.m, k = form.k, n = form.n;
  kb::tl::CompositeOptions options;
  options.tile_shape = kb::tl::TileShape{form.tile_m, form.tile_k, form.tile_n};
  const auto left = form.a_loaded != 0 ? tl.load(form.a, {m, k}) : tl.ref(form.a, {m, k});
  const auto right = form.b_transposed != 0 ? tl.trans(tl.ref(form.b, {n, k})) : tl.ref(form.b, {k, n});
  const auto start = [&](const auto& out) {
    return form.product != 0 ? tl.composite(left, right, out, options)
                             : tl.composite(kb::MathOp::relu, left, out, options);
  };
  if (form.out_in_scratch == 0) {
    tl.wait(start(form.c));
    return;
  }
  const auto out = tl.empty({m, form.product != 0 ? n : k}, form.c.dtype());
  tl.wait(start(out));
  tl.store(form.c, out);
}

std::vector<double> product_of(const std::vector<double>& a, const std::vector<double>& b, std::size_t m, std::size_t k,
                               std::size_t n, bool b_transposed) {
  std::vector<double> out(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t at = 0; at < k; ++at)
        out[i * n + j] += a[i * k + at] * (b_transposed ? b[j * k + at] : b[at * n + j]);
    }
  }
  return out;
}

// One composite on some PE of cube 0, its tensors over any of the PEs, in any memory. Sums are exact in every dtype.
void run_composite(Runtime& rt, WorkloadResult& result, Draw& draw, int number) {
  const std::vector<MemoryKind> memories{MemoryKind::tcm, MemoryKind::sram, MemoryKind::hbm};
  const std::vector<std::int64_t> tiles{8, 16, 32};  // two of the largest fit the registers
  const Dtype dtype = draw.one_of<Dtype>({Dtype::f16, Dtype::f32, Dtype::i32});
  const std::int64_t m = draw.number(1, 90), k = draw.number(1, 32), n = draw.number(1, 90);
  const bool b_transposed = draw.number(0, 1) != 0, product = draw.number(0, 2) != 0;
  const int pes = rt.machine().pes_per_cube;
  const auto place = [&](const Shape& shape, const char* name) {
    DPPolicy policy = DPPolicy().in(draw.one_of(memories));
    policy.pe = Split::row_wise;
    policy.num_cubes = 1;
    policy.num_pes = static_cast<int>(draw.number(1, pes));
    return rt.empty(shape, dtype, policy, name);
  };
  const Tensor a = place({m, k}, "a"), b = place(b_transposed ? Shape{n, k} : Shape{k, n}, "b");
  const Tensor c = place({m, product ? n : k}, "c");
  const std::uint64_t seed = rt.seed() + 2 * static_cast<std::uint64_t>(number);
  const HostArray left = HostArray::random_integers(a.shape(), dtype, seed);
  const HostArray right = HostArray::random_integers(b.shape(), dtype, seed + 1);
  a.copy_(left);
  b.copy_(right);
  LaunchOptions options;
  options.cubes = {0};
  options.pes = {static_cast<int>(draw.number(0, pes - 1))};
  Args arguments{{"a", a}, {"b", b}, {"c", c}, {"m", m}, {"k", k}, {"n", n}};
  for (const char* tile : {"tile_m", "tile_k", "tile_n"}) arguments.emplace_back(tile, draw.one_of(tiles));
  arguments.emplace_back("a_loaded", draw.number(0, 1));
  arguments.emplace_back("b_transposed", std::int64_t{b_transposed});
  arguments.emplace_back("out_in_scratch", draw.number(0, 1));
  arguments.emplace_back("product", std::int64_t{product});
  rt.wait(rt.launch("one-composite", arguments, options));
  const HostArray actual = c.to_host();
  if (!can_verify(rt, result)) return;

  const auto size = [](std::int64_t value) { return static_cast<std::size_t>(value); };
  std::vector<double> expected = left.to_doubles();
  if (product) {
    expected = product_of(expected, right.to_doubles(), size(m), size(k), size(n), b_transposed);
  } else {
    for (double& value : expected) value = std::max(value, 0.0);
  }
  const std::string name =
      fmt::format("case {}, {} {}x{}x{}, {}, {} and {}", number, kb::dtype_name(dtype), m, k, n,
                  kb::name_of(a.policy().memory), kb::name_of(b.policy().memory), kb::name_of(c.policy().memory));
  verify_exact(rt, result, name, actual, HostArray::from_doubles(c.shape(), dtype, expected));
}

WorkloadResult run_composites(Runtime& rt, const Params& params) {
  WorkloadResult result;
  Draw draw(rt.seed() * 1000033);
  for (int i = 0; i < params.integer("cases"); ++i) run_composite(rt, result, draw, i);
  return result;
}

WorkloadResult run(Runtime& rt, const Params& params) {
  WorkloadResult result;
  Draw draw(rt.seed() * 1000003);
  for (int i = 0; i < params.integer("cases"); ++i) run_case(rt, result, draw, i);
  return result;
}

}  // namespace

KERNBENCH_PLUGIN(registrar) {
  registrar.add_kernel(
      kb::tl::make_kernel("copy-own", "each PE copies the part of dst that it owns", {"src", "dst"}, copy_own));
  using Form = CompositeForm;
  registrar.add_kernel(kb::tl::make_kernel("one-composite", "a composite of any form",
                                           kb::tl::Parameters<Form>{{"a", &Form::a},
                                                                    {"b", &Form::b},
                                                                    {"c", &Form::c},
                                                                    {"m", &Form::m},
                                                                    {"k", &Form::k},
                                                                    {"n", &Form::n},
                                                                    {"tile_m", &Form::tile_m},
                                                                    {"tile_k", &Form::tile_k},
                                                                    {"tile_n", &Form::tile_n},
                                                                    {"a_loaded", &Form::a_loaded},
                                                                    {"b_transposed", &Form::b_transposed},
                                                                    {"out_in_scratch", &Form::out_in_scratch},
                                                                    {"product", &Form::product}},
                                           one_composite));
  registrar.add_workload({"random-composites",
                          "random composites of operands in every memory",
                          {Parameter::integer("cases", 20, "composites", 1)},
                          run_composites});
  registrar.add_workload({"random-tensors",
                          "random tensors in every memory, copied between them",
                          {Parameter::integer("cases", 20, "tensor pairs", 1)},
                          run});
}
