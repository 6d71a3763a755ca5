// rotary_embedding on PEs without time: any sizes and placements, against the formula in double.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "platform/contract/kernel_arguments.h"
#include "tests/unit/kernels/device.h"
#include "tests/unit/kernels/expect_error.h"
#include "tests/unit/kernels/numbers.h"

namespace kb::tests {
namespace {

using Integer = std::int64_t;

struct Case {
  Integer tokens = 4, heads = 3, d = 4;  // tokens: of a PE
  Integer first = 0, buffers = 2;
  std::optional<Integer> step;
  std::uint32_t pes = 1;

  Integer all() const { return tokens * pes; }
  Integer elements() const { return all() * heads * d; }
};

// Split by tokens; part i lies at pa + i * 0x100000.
LayoutPtr by_tokens(const char* name, Dtype dtype, const Case& c, std::uint64_t pa) {
  LayoutPtr layout = empty_layout(name, dtype, {c.all(), c.heads, c.d}, {c.tokens, c.heads, c.d});
  const std::uint64_t part = layout->nbytes / c.pes;
  for (std::uint32_t i = 0; i < c.pes; ++i) {
    layout->shards.push_back({pe_at(0, 0, i), pa + i * std::uint64_t{0x100000}, part, i * part});
  }
  return layout;
}

struct Machine {
  Device device;
  LayoutPtr x, table, out;

  explicit Machine(const Case& c, Dtype dtype = Dtype::f32)
      : x(by_tokens("x", dtype, c, 0x100000000)),
        table(whole("table", dtype, {c.first + c.all(), c.d}, 0x200000000)),
        out(by_tokens("out", dtype, c, 0x300000000)) {}
  void go(const Case& c) {
    std::vector<contract::NamedArg> args{{"x", as_arg(x)},
                                         {"table", as_arg(table)},
                                         {"out", as_arg(out)},
                                         {"first_position", c.first},
                                         {"buffers", c.buffers}};
    if (c.step) args.push_back({"tokens", *c.step});
    device.run(*kernels::KernelCatalog().find("rotary_embedding"), args, c.pes);
  }
  Numbers result(const Case& c) {
    device.write(*x, numbers(1, c.elements()));
    device.write(*table, numbers(2, (c.first + c.all()) * c.d));
    go(c);
    return device.read(*out);
  }
};

Numbers expected(const Case& c) {
  const Numbers x = numbers(1, c.elements()), table = numbers(2, (c.first + c.all()) * c.d);
  Numbers out;
  for (Integer e = 0; e < c.elements(); ++e) {
    const Integer i = e % c.d, half = c.d / 2, row = (c.first + e / c.d / c.heads) * c.d;
    const double cosine = at(table, row + i % half), sine = at(table, row + half + i % half);
    out.push_back(i < half ? at(x, e) * cosine - at(x, e + half) * sine : at(x, e) * cosine + at(x, e - half) * sine);
  }
  return out;
}

TEST(RotaryEmbedding, EqualsTheReferenceForAnySizes) {
  EXPECT_TRUE(rc::check("sizes, positions, buffers", [] {
    Case c;
    c.pes = *rc::gen::inRange<std::uint32_t>(1, 4);
    c.tokens = *rc::gen::inRange<Integer>(1, 30);
    c.heads = *rc::gen::inRange<Integer>(1, 6);
    c.d = 2 * *rc::gen::inRange<Integer>(1, 20);
    c.first = *rc::gen::inRange<Integer>(0, 9);
    c.buffers = *rc::gen::inRange<Integer>(1, 3);
    if (*rc::gen::inRange(0, 3) > 0) c.step = *rc::gen::inRange<Integer>(1, 12);
    Machine run(c);
    const Numbers actual = run.result(c), want = expected(c);
    RC_ASSERT(actual.size() == want.size());
    for (std::size_t i = 0; i < want.size(); ++i) RC_ASSERT(std::abs(actual[i] - want[i]) < 1e-6);
  }));
}

// Only the partner of an element counts, not what lies beside it: an infinite one leaves other rows alone.
TEST(RotaryEmbedding, RowsDoNotTouchEachOther) {
  Case c;
  c.tokens = 1;
  c.heads = 3;
  Machine run(c);
  run.device.write(*run.x, {1, 2, 3, 4, INFINITY, NAN, INFINITY, NAN, 5, 6, 7, 8});
  run.device.write(*run.table, {1, 1, 0, 0});
  run.go(c);
  const Numbers out = run.device.read(*run.out);
  EXPECT_EQ(Numbers(out.begin(), out.begin() + 4), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(Numbers(out.begin() + 8, out.end()), (Numbers{5, 6, 7, 8}));
}

TEST(RotaryEmbedding, MistakesAreExplained) {
  const auto refused = [](const Case& c, Machine& run, const char* piece) {
    expect_program_error([&] { run.go(c); }, "KERNEL_ERROR", {"kernel rotary_embedding", piece});
  };
  Case c;
  c.buffers = 0;
  Machine none(c);
  refused(c, none, "buffers is 1 (loads and stores block) or 2");
  c = {};
  c.d = 5;
  Machine odd(c);
  refused(c, odd, "heads of 5 elements have no halves");
  c = {};
  c.step = 0;
  Machine no_tokens(c);
  refused(c, no_tokens, "tokens is at least 1");
  c = {};
  Machine integers(c, Dtype::i32);
  refused(c, integers, "one dtype: f16, bf16 or f32");
  Machine narrow(c);
  narrow.table = whole("table", Dtype::f32, {4, 2}, 0x200000000);
  refused(c, narrow, "'table' (4, 2) must be (positions, 4)");
  Machine late(c);
  c.first = 3;
  refused(c, late, "tokens at positions 3 to 6 need as many rows of 'table'; it has 4");
}

}  // namespace
}  // namespace kb::tests
