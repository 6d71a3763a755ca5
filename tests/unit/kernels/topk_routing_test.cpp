// topk_routing and gather_rows on PEs without time: any sizes and placements, against plain loops.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "platform/contract/data_mode.h"
#include "platform/contract/kernel_arguments.h"
#include "tests/unit/kernels/device.h"
#include "tests/unit/kernels/expect_error.h"
#include "tests/unit/kernels/numbers.h"

namespace kb::tests {
namespace {

using Integer = std::int64_t;

struct Case {
  Integer tokens = 4, dim = 6, experts = 5, k = 2;  // tokens: of a PE
  std::optional<Integer> rows, depth;
  Integer buffers = 2, groups = 1;
  std::uint32_t pes = 1;

  Integer all() const { return tokens * pes; }
};

struct Machine {
  Device device;
  LayoutPtr x, w, weights, experts, counts;

  explicit Machine(const Case& c, Dtype dtype = Dtype::f32, data::DataMode mode = data::DataMode::replay)
      : device(mode),
        x(row_wise("x", dtype, {c.all(), c.dim}, 0x100000000, c.pes)),
        w(whole("w", dtype, {c.dim, c.experts}, 0x200000000)),
        weights(row_wise("weights", Dtype::f32, {c.all(), c.k}, 0x300000000, c.pes)),
        experts(row_wise("experts", Dtype::i32, {c.all(), c.k}, 0x400000000, c.pes)),
        counts(whole("counts", Dtype::i32, {c.groups, c.experts}, 0x500000000)) {}
  void go(const Case& c) {
    std::vector<contract::NamedArg> args{
        {"x", as_arg(x)},           {"w", as_arg(w)},      {"weights", as_arg(weights)}, {"experts", as_arg(experts)},
        {"counts", as_arg(counts)}, {"buffers", c.buffers}};
    if (c.rows) args.push_back({"rows", *c.rows});
    if (c.depth) args.push_back({"depth", *c.depth});
    device.run(*kernels::KernelCatalog().find("topk_routing"), args, c.pes);
  }
};

// Small whole numbers, so that logits are exact and many are equal.
Numbers whole_numbers(std::uint64_t seed, Integer count) {
  Numbers out = numbers(seed, count);
  for (double& value : out) value = std::round(2 * value);
  return out;
}

TEST(TopkRouting, EqualsPlainLoopsForAnySizes) {
  EXPECT_TRUE(rc::check("sizes, blocks, buffers", [] {
    Case c;
    c.pes = *rc::gen::inRange<std::uint32_t>(1, 4);
    c.tokens = *rc::gen::inRange<Integer>(1, 40);
    c.dim = *rc::gen::inRange<Integer>(1, 50);
    c.experts = *rc::gen::inRange<Integer>(1, 20);
    c.k = *rc::gen::inRange<Integer>(1, c.experts + 1);
    c.buffers = *rc::gen::inRange<Integer>(1, 3);
    c.groups = *rc::gen::inRange<Integer>(1, 3);
    if (*rc::gen::inRange(0, 2) > 0) c.rows = *rc::gen::inRange<Integer>(1, 20);
    if (*rc::gen::inRange(0, 2) > 0) c.depth = *rc::gen::inRange<Integer>(1, 20);
    const Numbers x = whole_numbers(1, c.all() * c.dim), w = whole_numbers(2, c.dim * c.experts);
    Machine run(c);
    run.device.write(*run.x, x);
    run.device.write(*run.w, w);
    run.device.write(*run.counts, Numbers(static_cast<std::size_t>(c.groups * c.experts), 1));
    run.go(c);
    const Numbers weights = run.device.read(*run.weights), experts = run.device.read(*run.experts);
    Numbers counts(static_cast<std::size_t>(c.groups * c.experts), 1);
    for (Integer token = 0; token < c.all(); ++token) {
      Numbers logits;
      for (Integer e = 0; e < c.experts; ++e) {
        double sum = 0;
        for (Integer i = 0; i < c.dim; ++i) sum += at(x, token * c.dim + i) * at(w, i * c.experts + e);
        logits.push_back(sum);
      }
      std::vector<Integer> order(logits.size());
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](Integer a, Integer b) { return at(logits, a) > at(logits, b); });
      double sum = 0;
      const double top = at(logits, order[0]);
      for (Integer i = 0; i < c.k; ++i) sum += std::exp(at(logits, order[static_cast<std::size_t>(i)]) - top);
      for (Integer i = 0; i < c.k; ++i) {
        const Integer expert = order[static_cast<std::size_t>(i)];
        RC_ASSERT(at(experts, token * c.k + i) == static_cast<double>(expert));
        RC_ASSERT(std::abs(at(weights, token * c.k + i) - std::exp(at(logits, expert) - top) / sum) < 1e-5);
        ++counts[static_cast<std::size_t>(expert)];
      }
    }
    RC_ASSERT(run.device.read(*run.counts) == counts);  // all PEs are in cube 0: row 0
  }));
}

TEST(TopkRouting, MistakesAreExplained) {
  const auto refused = [](const Case& c, Machine& run, const char* piece) {
    expect_program_error([&] { run.go(c); }, "KERNEL_ERROR", {"kernel topk_routing", piece});
  };
  Case c;
  c.k = 6;
  Machine many(c);
  refused(c, many, "6 of 5 experts cannot be chosen");
  c = {};
  Machine narrow(c);
  narrow.w = whole("w", Dtype::f32, {5, 5}, 0x200000000);
  refused(c, narrow, "'w' (5, 5) must have a row for each of the 6 columns of 'x' (4, 6)");
  Machine wrong_counts(c);
  wrong_counts.counts = whole("counts", Dtype::i32, {1, 4}, 0x500000000);
  refused(c, wrong_counts, "'counts' (1, 4) must have rows of 5 numbers");
  Machine other(c);
  other.weights = whole("weights", Dtype::f32, {4, 3}, 0x300000000);
  refused(c, other, "'weights' (4, 3) and 'experts' (4, 2) must both be (4, k)");
  Machine integers(c, Dtype::i32);
  refused(c, integers, "x and w must be of one dtype: f16, bf16 or f32");
  Machine wide(c);
  wide.experts = whole("experts", Dtype::i64, {4, 2}, 0x400000000);
  refused(c, wide, "weights must be f32, experts and counts i32");
  c.rows = 0;
  Machine no_rows(c);
  refused(c, no_rows, "rows and depth are at least 1");
  c = {};
  c.buffers = 3;
  Machine three(c);
  refused(c, three, "buffers is 1 (loads block) or 2 (loads run ahead)");
}

TEST(GatherRows, EqualsPlainLoopsForAnySizes) {
  EXPECT_TRUE(rc::check("sizes, rows at a time", [] {
    const auto pes = *rc::gen::inRange<std::uint32_t>(1, 4);
    const Integer rows = pes * *rc::gen::inRange<Integer>(1, 30), all = *rc::gen::inRange<Integer>(1, 20);
    const Integer width = *rc::gen::inRange<Integer>(1, 9);
    const auto wanted =
        *rc::gen::container<std::vector<Integer>>(static_cast<std::size_t>(rows), rc::gen::inRange<Integer>(0, all));
    const LayoutPtr table = whole("table", Dtype::f32, {all, width}, 0x100000000);
    const LayoutPtr indices = whole("indices", Dtype::i32, {rows, 1}, 0x200000000);
    const LayoutPtr out = row_wise("out", Dtype::f32, {rows, width}, 0x300000000, pes);
    Device device(data::DataMode::replay);
    const Numbers values = numbers(1, all * width);
    device.write(*table, values);
    device.write(*indices, Numbers(wanted.begin(), wanted.end()));
    std::vector<contract::NamedArg> args{{"table", as_arg(table)}, {"indices", as_arg(indices)}, {"out", as_arg(out)}};
    if (*rc::gen::inRange(0, 2) > 0) args.push_back({"rows", *rc::gen::inRange<Integer>(1, 12)});
    device.run(*kernels::KernelCatalog().find("gather_rows"), args, pes);
    const Numbers actual = device.read(*out);
    for (Integer i = 0; i < rows * width; ++i) {
      const Integer row = wanted[static_cast<std::size_t>(i / width)];
      RC_ASSERT(static_cast<float>(at(values, row * width + i % width)) == static_cast<float>(at(actual, i)));
    }
  }));
}

TEST(GatherRows, MistakesAreExplained) {
  const LayoutPtr table = whole("table", Dtype::f32, {4, 2}, 0x100000000);
  const LayoutPtr out = whole("out", Dtype::f32, {3, 2}, 0x300000000);
  const auto refused = [&](const LayoutPtr& indices, const LayoutPtr& to, const std::string& code, const char* piece) {
    Device device;
    device.write(*indices, Numbers(static_cast<std::size_t>(element_count(indices->shape)), 4));
    const std::vector<contract::NamedArg> args{
        {"table", as_arg(table)}, {"indices", as_arg(indices)}, {"out", as_arg(to)}};
    expect_program_error([&] { device.run(*kernels::KernelCatalog().find("gather_rows"), args); }, code,
                         {"kernel gather_rows", piece});
  };
  const LayoutPtr three = whole("indices", Dtype::i32, {3, 1}, 0x200000000);
  refused(whole("indices", Dtype::i32, {2, 1}, 0x200000000), out, "KERNEL_ERROR",
          "'indices' (2, 1) must be 3 integers, one for each row of 'out' (3, 2)");
  refused(three, whole("out", Dtype::f32, {3, 3}, 0x300000000), "KERNEL_ERROR",
          "'table' (4, 2) and 'out' (3, 3) must have rows of one length and dtype");
  refused(three, out, "ADDRESS_ERROR", "index 4 of element 0 is out of bounds");
}

}  // namespace
}  // namespace kb::tests
