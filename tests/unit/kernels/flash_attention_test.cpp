// flash_attention on PEs without time: any sizes, blocks, masks and placements, against softmax in double.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "tests/unit/kernels/device.h"
#include "tests/unit/kernels/expect_error.h"
#include "tests/unit/kernels/numbers.h"

namespace kb::tests {
namespace {

using Integer = std::int64_t;

struct Case {
  Integer queries = 8, context = 32, d = 4, rows = 4, keys = 8, buffers = 2, causal = 0, first_token = 0;
  std::uint32_t pes = 1;
};

Numbers expected(const Case& c, const Numbers& q, const Numbers& k, const Numbers& v) {
  Numbers out;
  for (Integer row = 0; row < c.queries; ++row) {
    Numbers weights;
    double sum = 0;
    for (Integer key = 0; key < c.context && (c.causal == 0 || key <= c.first_token + row); ++key) {
      double score = 0;
      for (Integer i = 0; i < c.d; ++i) {
        score += q[static_cast<std::size_t>(row * c.d + i)] * k[static_cast<std::size_t>(key * c.d + i)];
      }
      weights.push_back(std::exp(score / std::sqrt(static_cast<double>(c.d))));
      sum += weights.back();
    }
    for (Integer i = 0; i < c.d; ++i) {
      double value = 0;
      for (std::size_t key = 0; key < weights.size(); ++key) {
        value += weights[key] / sum * v[key * static_cast<std::size_t>(c.d) + static_cast<std::size_t>(i)];
      }
      out.push_back(value);
    }
  }
  return out;
}

struct Machine {
  Device device;
  LayoutPtr q, k, v, o;

  explicit Machine(const Case& c)
      : q(row_wise("q", Dtype::f32, {c.queries, c.d}, 0x100000000, c.pes)),
        k(whole("k", Dtype::f32, {c.context, c.d}, 0x200000000)),
        v(row_wise("v", Dtype::f32, {c.context, c.d}, 0x300000000, 1)),
        o(row_wise("o", Dtype::f32, {c.queries, c.d}, 0x400000000, c.pes)) {}
  std::size_t go(const Case& c) {
    return device.run(*kernels::KernelCatalog().find("flash_attention"),
                      {{"q", as_arg(q)},
                       {"k", as_arg(k)},
                       {"v", as_arg(v)},
                       {"o", as_arg(o)},
                       {"rows", c.rows},
                       {"keys", c.keys},
                       {"buffers", c.buffers},
                       {"causal", c.causal},
                       {"first_token", c.first_token}},
                      c.pes);
  }
};

TEST(FlashAttention, EqualsTheReferenceForAnySizes) {
  EXPECT_TRUE(rc::check("sizes, blocks, mask, buffers", [] {
    Case c;
    c.pes = *rc::gen::inRange<std::uint32_t>(1, 4);
    c.queries = c.pes * *rc::gen::inRange<Integer>(1, 8);
    c.context = *rc::gen::inRange<Integer>(1, 60);
    c.d = *rc::gen::inRange<Integer>(1, 9);
    c.rows = *rc::gen::inRange<Integer>(1, 9);
    c.keys = *rc::gen::inRange<Integer>(1, 70);
    c.buffers = *rc::gen::inRange<Integer>(1, 3);
    c.causal = *rc::gen::inRange<Integer>(0, 2);
    c.first_token = *rc::gen::inRange<Integer>(0, 30);
    const Numbers q = numbers(1, c.queries * c.d), k = numbers(2, c.context * c.d), v = numbers(3, c.context * c.d);
    Machine run(c);
    run.device.write(*run.q, q);
    run.device.write(*run.k, k);
    run.device.write(*run.v, v);
    run.go(c);
    const Numbers actual = run.device.read(*run.o), want = expected(c, q, k, v);
    for (std::size_t i = 0; i < want.size(); ++i) RC_ASSERT(std::abs(actual[i] - want[i]) < 1e-4);
  }));
}

TEST(FlashAttention, BuffersChangeNothingButTime) {
  Case c;
  Numbers results[2];
  std::size_t commands[2] = {};
  for (const std::size_t i : {0u, 1u}) {
    c.buffers = static_cast<Integer>(i) + 1;
    Machine run(c);
    run.device.write(*run.q, numbers(1, c.queries * c.d));
    run.device.write(*run.k, numbers(2, c.context * c.d));
    run.device.write(*run.v, numbers(3, c.context * c.d));
    commands[i] = run.go(c);
    results[i] = run.device.read(*run.o);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(commands[0], commands[1]);
}

// A mask selects: what it leaves out has no weight however large its product is, and even when it is no number.
TEST(FlashAttention, TheMaskHidesProductsOfAnySize) {
  Case c;
  c.queries = 2;
  c.context = 2;
  c.d = 1;
  c.causal = 1;
  for (const double later : {1e34, HUGE_VAL, std::nan("")}) {
    Machine run(c);
    run.device.write(*run.q, {1, 1});
    run.device.write(*run.k, {2, later});
    run.device.write(*run.v, {3, 5});
    run.go(c);
    EXPECT_EQ(run.device.read(*run.o)[0], 3) << later;
  }
  c.context = 3;
  c.first_token = 1;  // row 0 sees key 1, whose product is larger than that of every other
  Machine run(c);
  run.device.write(*run.q, {1e20, 1e20});
  run.device.write(*run.k, {-1e14, 1, 1e14});
  run.device.write(*run.v, {3, 5, 7});
  run.go(c);
  EXPECT_EQ(run.device.read(*run.o), (Numbers{5, 7}));
}

TEST(FlashAttention, MistakesAreExplained) {
  const auto refused = [](const Case& c, const char* piece) {
    Machine run(c);
    expect_program_error([&] { run.go(c); }, "KERNEL_ERROR", {"kernel flash_attention", piece});
  };
  Case c;
  c.buffers = 3;
  refused(c, "buffers is 1 (loads block) or 2 (loads run ahead)");
  c = {};
  c.keys = 0;
  refused(c, "rows and keys are at least 1");
  c = {};
  c.first_token = -1;
  refused(c, "first_token is at least 0");
}

}  // namespace
}  // namespace kb::tests
