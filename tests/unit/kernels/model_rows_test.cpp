// embedding_rows and argmax_rows on PEs without time: any shapes, divisions and layouts, against loops over numbers.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "platform/contract/kernel_arguments.h"
#include "tests/unit/kernels/barrier_machine.h"
#include "tests/unit/kernels/expect_error.h"
#include "tests/unit/kernels/placed.h"

namespace kb::tests {
namespace {

using Integer = std::int64_t;

const contract::Kernel& kernel(const char* name) {
  static const kernels::KernelCatalog catalog;
  return *catalog.find(name);
}

constexpr std::uint64_t kApart = std::uint64_t{1} << 36;

struct Lookup {
  Integer m = 5, v = 40, h = 12, first = 100;
  int cubes = 2, pes = 2;
  Dtype dtype = Dtype::f16;
  sw::DPPolicy out_layout = tile_layout(), table_layout = weight_layout();
  Device device{};

  Placed make(const char* name, Dtype its, const Shape& shape, const sw::DPPolicy& policy, std::uint64_t number) const {
    return {name, its, shape, policy, cubes, pes, number * kApart};
  }
  void go(const Placed& ids, const Placed& table, const Placed& out) {
    BarrierMachine(device, cubes, pes)
        .run(kernel("embedding_rows"),
             {{"ids", ids.arg()}, {"table", table.arg()}, {"out", out.arg()}, {"first", first}});
  }
};

// K-206
TEST(EmbeddingRows, EqualsALookupForAnyShapesAndDivisions) {
  EXPECT_TRUE(rc::check("shapes, divisions, layouts", [] {
    Lookup c;
    c.m = *rc::gen::element<Integer>(1, 3, 33, 130);
    c.v = *rc::gen::inRange<Integer>(1, 60);
    c.h = *rc::gen::inRange<Integer>(1, 100);
    c.cubes = *rc::gen::inRange(1, 4);
    c.pes = *rc::gen::inRange(1, 5);
    c.dtype = *rc::gen::element(Dtype::f16, Dtype::bf16, Dtype::f32);
    c.out_layout = *rc::gen::arbitrary<bool>() ? tile_layout() : copy_layout();
    if (*rc::gen::inRange(0, 4) == 0) c.table_layout = everywhere();
    Numbers ids;
    const Integer middle = c.first + c.v / 2;
    for (const double number : numbers(*rc::gen::arbitrary<std::uint64_t>(), c.m)) {
      ids.push_back(static_cast<double>(middle) + std::round(number * static_cast<double>(c.v)));
    }
    const Placed id = c.make("ids", Dtype::i32, {1, c.m}, everywhere(), 1);
    const Placed table = c.make("table", c.dtype, {c.v, c.h}, c.table_layout, 2);
    const Placed out = c.make("out", c.dtype, {c.m, c.h}, c.out_layout, 3);
    id.write(c.device, ids);
    const Numbers rows = table.write(c.device, numbers(1, c.v * c.h));
    out.write(c.device, numbers(2, c.m * c.h));
    c.go(id, table, out);
    Numbers expected;
    for (Integer i = 0; i < c.m * c.h; ++i) {
      const Integer row = static_cast<Integer>(at(ids, i / c.h)) - c.first;
      expected.push_back(row >= 0 && row < c.v ? at(rows, row * c.h + i % c.h) : 0);
    }
    RC_ASSERT(out.read(c.device) == expected);
  }));
}

// More rows than are loaded together.
TEST(EmbeddingRows, WorksInParts) {
  Lookup c;
  c.m = 70;
  c.h = 4100;
  c.cubes = 1;
  c.pes = 1;
  const Placed id = c.make("ids", Dtype::i32, {1, c.m}, everywhere(), 1);
  const Placed table = c.make("table", c.dtype, {c.v, c.h}, weight_layout(), 2);
  const Placed out = c.make("out", c.dtype, {c.m, c.h}, tile_layout(), 3);
  Numbers ids;
  for (Integer i = 0; i < c.m; ++i) ids.push_back(static_cast<double>(95 + i * 7 % 50));
  id.write(c.device, ids);
  const Numbers rows = table.write(c.device, numbers(1, c.v * c.h));
  c.go(id, table, out);
  const Numbers actual = out.read(c.device);
  for (Integer i = 0; i < c.m * c.h; ++i) {
    const Integer row = static_cast<Integer>(at(ids, i / c.h)) - c.first;
    ASSERT_EQ(at(actual, i), row >= 0 && row < c.v ? at(rows, row * c.h + i % c.h) : 0) << i;
  }
}

TEST(EmbeddingRows, MistakesAreExplained) {
  Lookup c;
  const Placed ids = c.make("ids", Dtype::i32, {1, 5}, everywhere(), 1);
  const Placed table = c.make("table", c.dtype, {40, 12}, weight_layout(), 2);
  const Placed out = c.make("out", c.dtype, {5, 12}, tile_layout(), 3);
  const auto refused = [&](const Placed& i, const Placed& t, const Placed& o, const char* piece) {
    expect_program_error([&] { c.go(i, t, o); }, "KERNEL_ERROR", {"kernel embedding_rows", piece});
  };
  refused(c.make("ids", Dtype::i32, {1, 4}, everywhere(), 1), table, out, "'ids' (1, 4) must be (1, 5) integers");
  refused(c.make("ids", Dtype::f32, {1, 5}, everywhere(), 1), table, out, "'ids' (1, 5) must be (1, 5) integers");
  refused(ids, c.make("table", c.dtype, {40, 11}, weight_layout(), 2), out,
          "'table' (40, 11) and 'out' (5, 12) must have rows of one length and dtype");
  // Tiles of equal heights have the places of blocks and cannot be told apart.
  refused(ids, c.make("table", c.dtype, {41, 12}, tile_layout(), 2), out,
          "'table' (41, 12) must be split by rows over cubes, by columns over PEs, or by one of them");
  refused(ids, table, c.make("out", c.dtype, {5, 12}, weight_layout(), 3),
          "'out' (5, 12) must be split by columns, over PEs or over cubes, and then by rows at most");
}

struct Choice {
  Integer m = 4, n = 30, first = 7;
  int cubes = 2, pes = 2;
  Dtype dtype = Dtype::f32;
  sw::DPPolicy layout = tile_layout(), result = everywhere();
  Device device{};

  Placed make(const char* name, Dtype its, const Shape& shape, const sw::DPPolicy& policy, std::uint64_t number) const {
    return {name, its, shape, policy, cubes, pes, number * kApart};
  }
  Placed x = make("x", dtype, {m, n}, layout, 1),
         partials = make("partials", Dtype::f32, {cubes, 2 * m}, row_each_layout(), 2);
  Placed indices = make("indices", Dtype::i32, {1, m}, result, 3),
         values = make("values", Dtype::f32, {1, m}, result, 4);

  void go() {
    BarrierMachine(device, cubes, pes)
        .run(kernel("argmax_rows"), {{"x", x.arg()},
                                     {"partials", partials.arg()},
                                     {"indices", indices.arg()},
                                     {"values", values.arg()},
                                     {"first", first}});
  }
  void expect_best(const Numbers& of_x) {
    const Numbers places = indices.read(device), best = values.read(device);
    for (Integer row = 0; row < m; ++row) {
      Integer place = 0;
      for (Integer i = 1; i < n; ++i) {
        const double old = at(of_x, row * n + place), here = at(of_x, row * n + i);
        if (!std::isnan(old) && (std::isnan(here) || here > old)) place = i;
      }
      RC_ASSERT(at(places, row) == static_cast<double>(first + place));
      const double value = at(of_x, row * n + place);
      RC_ASSERT(at(best, row) == value || (std::isnan(value) && std::isnan(at(best, row))));
    }
  }
};

// K-207: also the first of equal ones, infinities and NaNs.
TEST(ArgmaxRows, EqualsASearchForAnyShapesAndDivisions) {
  EXPECT_TRUE(rc::check("shapes, divisions, special values", [] {
    Choice c;
    c.m = *rc::gen::element<Integer>(1, 3, 33, 130);
    c.n = *rc::gen::inRange<Integer>(1, 100);
    c.cubes = *rc::gen::inRange(1, 4);
    c.pes = *rc::gen::inRange(1, 5);
    c.dtype = *rc::gen::element(Dtype::f16, Dtype::bf16, Dtype::f32);
    c.result = *rc::gen::element(everywhere(), tile_layout(), copy_layout());
    Choice made{c.m, c.n, c.first, c.cubes, c.pes, c.dtype, c.layout, c.result};
    const double special = *rc::gen::element(0.0, 0.02, 0.5);  // share of numbers that are not finite
    Numbers values = numbers(*rc::gen::arbitrary<std::uint64_t>(), c.m * c.n);
    const Numbers kinds = numbers(*rc::gen::arbitrary<std::uint64_t>(), c.m * c.n);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = std::round(4 * values[i]);  // many are equal
      if (kinds[i] < special - 1) values[i] = std::nan("");
      if (kinds[i] > 1 - special) values[i] = (i % 2 == 0 ? 1 : -1) * std::numeric_limits<double>::infinity();
    }
    made.expect_best((made.x.write(made.device, values), made.go(), values));
  }));
}

TEST(ArgmaxRows, LongRowsAreSearchedInParts) {
  Choice c{2, 200001, 1000, 1, 1, Dtype::bf16};
  Numbers values(400002, -1);
  values[150000] = values[150001] = 3;
  values[200001 + 70000] = 2;
  c.x.write(c.device, values);
  c.go();
  EXPECT_EQ(c.indices.read(c.device), (Numbers{151000, 71000}));
  EXPECT_EQ(c.values.read(c.device), (Numbers{3, 2}));
}

TEST(ArgmaxRows, MistakesAreExplained) {
  const auto refused = [](const std::function<void(Choice&)>& change, const char* piece) {
    Choice c;
    change(c);
    expect_program_error([&] { c.go(); }, "KERNEL_ERROR", {"kernel argmax_rows", piece});
  };
  refused([](Choice& c) { c.x = c.make("x", Dtype::i32, {4, 30}, tile_layout(), 1); }, "x must be f16, bf16 or f32");
  refused(
      [](Choice& c) {
        c.x = c.make("x", Dtype::f32, {4, 31}, weight_layout(), 1);
      },
      "'x' (4, 31) must be split by columns, over PEs or over cubes, and then by rows at most");
  refused(
      [](Choice& c) {
        c.indices = c.make("indices", Dtype::i32, {1, 3}, everywhere(), 3);
      },
      "'indices' (1, 3) must be (1, 4) of i32, one for each row of 'x' (4, 30)");
  refused(
      [](Choice& c) {
        c.values = c.make("values", Dtype::f16, {1, 4}, everywhere(), 4);
      },
      "values must be f32, of the shape and layout of 'indices' (1, 4)");
  refused(
      [](Choice& c) {
        c.partials = c.make("partials", Dtype::f32, {2, 7}, row_each_layout(), 2);
      },
      "'partials' (2, 7) must be (cubes, 8) of f32, whole or split by rows");
  refused(
      [](Choice& c) {
        c.partials = c.make("partials", Dtype::f32, {1, 8}, row_each_layout(), 2);
      },
      "'partials' (1, 8) has fewer rows than the 2 tiles of 'x' (4, 30)");
  refused(
      [](Choice& c) {
        c.partials = c.make("partials", Dtype::f32, {2, 8}, everywhere(), 2);
      },
      "'partials' (2, 8) must be a single copy");
  refused([](Choice& c) { c.first = INT32_MAX - 10; },
          "first 2147483637 and the 30 columns of 'x' (4, 30) do not fit i32");
}

}  // namespace
}  // namespace kb::tests
