// Sums in the order that P-90 states, softmax in its five steps, exact integer sums, and products.
#include <cmath>

#include "platform/base/error.h"
#include "tests/unit/arithmetic/machine.h"

namespace kb::tests {
namespace {

__extension__ typedef __int128 Wide;

const SoftFloat& f32() {
  static const SoftFloat soft(Dtype::f32);
  return soft;
}

std::uint32_t widened(Dtype dtype, std::uint64_t encoding) {
  return f32().converted(SoftFloat(dtype), static_cast<std::uint32_t>(encoding));
}

// (outer, length, inner) arrays; calls visit(group, elements) with the places of the elements along the middle axis.
template <typename Visit>
void for_groups(const Shape& shape, Visit visit) {
  for (std::int64_t o = 0; o < shape[0]; ++o) {
    for (std::int64_t i = 0; i < shape[2]; ++i) {
      std::vector<std::size_t> places;
      for (std::int64_t a = 0; a < shape[1]; ++a) {
        places.push_back(static_cast<std::size_t>((o * shape[1] + a) * shape[2] + i));
      }
      visit(static_cast<std::size_t>(o * shape[2] + i), places);
    }
  }
}

// Several lengths, of as many elements in all as there are cases.
std::vector<Shape> shapes() {
  const auto count = static_cast<std::int64_t>(cases());
  return {{count / 30, 3, 2}, {2, count / 40, 3}, {5, 7, count / 200}, {1, 1, 5}};
}

TEST(Reductions, FloatSumsAscendInF32AndRoundOnce) {
  for (const Dtype dtype : kFloats) {
    for (const Dtype out : kFloats) {
      for (const Shape& shape : shapes()) {
        const Encodings in = random_encodings(dtype, 6000, static_cast<std::size_t>(element_count(shape)));
        Machine machine;
        const Encodings sums = machine.run(MathOp::sum, dtype, out, {in}, shape, {shape[0], 1, shape[2]}, 1);
        const Encodings partial = machine.run(MathOp::cumsum, dtype, out, {in}, shape, shape, 1);
        const SoftFloat soft(out);
        for_groups(shape, [&](std::size_t group, const std::vector<std::size_t>& places) {
          std::uint32_t sum = 0;
          for (const std::size_t place : places) {
            const std::uint32_t next = widened(dtype, in[place]);
            sum = place == places.front() ? next : f32().add(sum, next);
            ASSERT_EQ(partial[place], soft.converted(f32(), sum)) << dtype_name(dtype) << " " << dtype_name(out);
          }
          ASSERT_EQ(sums[group], soft.converted(f32(), sum)) << dtype_name(dtype) << " " << dtype_name(out);
        });
      }
    }
  }
}

TEST(Reductions, IntegerSumsAreExactOrRefused) {
  const auto small = [](Dtype dtype, std::uint64_t bits) {  // so that some sums fit
    return low_bits_of(dtype,
                       static_cast<std::uint64_t>(signed_value(dtype, low_bits_of(dtype, bits)) >> (bits >> 58)));
  };
  int refused = 0, computed = 0;
  for (const Dtype dtype : kIntegers) {
    for (const Dtype out : kIntegers) {
      for (std::uint64_t round = 0; round < 60; ++round) {
        const Shape shape{1, static_cast<std::int64_t>(1 + data::random_bits(7000, round) % 40), 1};
        Encodings in(static_cast<std::size_t>(shape[1]));
        Wide exact = 0, least = 0, most = 0;
        for (std::size_t i = 0; i < in.size(); ++i) {
          in[i] = small(dtype, data::random_bits(7001 + round, i));
          exact += signed_value(dtype, in[i]);
          least = std::min(least, exact);
          most = std::max(most, exact);
        }
        const Wide limit = Wide{1} << (8 * item_size(out) - 1);
        const auto expect = [&](MathOp op, const Shape& result, bool fits) {
          Machine machine;
          try {
            const Encodings got = machine.run(op, dtype, out, {in}, shape, result, 1);
            ASSERT_TRUE(fits) << math_op_name(op) << " " << dtype_name(dtype) << " " << dtype_name(out);
            ASSERT_EQ(got.back(), low_bits_of(out, static_cast<std::uint64_t>(exact)));
            ++computed;
          } catch (const Error& error) {
            ASSERT_FALSE(fits) << error.what();
            ASSERT_EQ(error.code(), "VALUE_ERROR");
            ++refused;
          }
        };
        expect(MathOp::sum, {1, 1, 1}, exact < limit && exact >= -limit);
        expect(MathOp::cumsum, shape, most < limit && least >= -limit);
      }
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(computed, 100);
}

TEST(Reductions, MaximaAndMinimaAreThoseOfAllPairs) {
  const Shape shape{static_cast<std::int64_t>(cases() / 20), 4, 1};
  for (const Dtype dtype : kFloats) {
    const SoftFloat soft(dtype);
    Encodings in = random_encodings(dtype, 8000, static_cast<std::size_t>(element_count(shape)));
    const Encodings special = specials(dtype);
    for (std::size_t i = 0; i < in.size(); i += 3) in[i] = special[i % special.size()];
    for (const MathOp op : {MathOp::max, MathOp::min}) {
      Machine machine;
      const Encodings got = machine.run(op, dtype, dtype, {in}, shape, {shape[0], 1, 1}, 1);
      for_groups(shape, [&](std::size_t group, const std::vector<std::size_t>& places) {
        auto want = static_cast<std::uint32_t>(in[places.front()]);
        for (const std::size_t place : places) {
          const auto next = static_cast<std::uint32_t>(in[place]);
          want = op == MathOp::max ? soft.maximum(want, next) : soft.minimum(want, next);
        }
        ASSERT_EQ(got[group], want) << math_op_name(op) << " " << dtype_name(dtype);
      });
    }
  }
}

// x - max, exp, sum, divide; the exponential is the one of the library in double, rounded to f32.
TEST(Reductions, SoftmaxTakesItsStepsInF32) {
  for (const Dtype dtype : kFloats) {
    const Shape shape{static_cast<std::int64_t>(cases() / 100), 9, 2};
    const SoftFloat soft(dtype);
    Encodings in = random_encodings(dtype, 9000, static_cast<std::size_t>(element_count(shape)));
    for (std::uint64_t& encoding : in) {
      if (soft.classify(static_cast<std::uint32_t>(encoding)) != FloatClass::finite) encoding = 0;
    }
    Machine machine;
    const Encodings got = machine.run(MathOp::softmax, dtype, dtype, {in}, shape, shape, 1);
    for_groups(shape, [&](std::size_t, const std::vector<std::size_t>& places) {
      std::uint32_t peak = widened(dtype, in[places.front()]), sum = 0;
      for (const std::size_t place : places) peak = f32().maximum(peak, widened(dtype, in[place]));
      std::vector<std::uint32_t> powers;
      for (const std::size_t place : places) {
        const double difference = f32().as_double(f32().sub(widened(dtype, in[place]), peak));
        const auto power = static_cast<float>(std::exp(difference));
        std::uint32_t bits;
        std::memcpy(&bits, &power, sizeof bits);
        sum = powers.empty() ? bits : f32().add(sum, bits);
        powers.push_back(bits);
      }
      for (std::size_t i = 0; i < places.size(); ++i) {
        ASSERT_EQ(got[places[i]], soft.converted(f32(), f32().div(powers[i], sum))) << dtype_name(dtype);
      }
    });
  }
}

// Products of two numbers of 16 bits are exact in f32; products of f32 are rounded.
TEST(Reductions, ProductsOfOneTermRoundToF32AndOnceMore) {
  for (const Dtype dtype : kFloats) {
    for (const Dtype out : {dtype, Dtype::f32}) {
      const std::size_t n = 90;
      const Encodings a = random_encodings(dtype, 10'000, n), b = random_encodings(dtype, 10'001, n);
      Machine machine;
      const auto size = static_cast<std::int64_t>(n);
      const Encodings got = machine.multiply(dtype, out, a, b, {size, 1}, {1, size}, Dtype::f32);
      for (std::size_t i = 0; i < got.size(); ++i) {
        const std::uint32_t term = f32().mul(widened(dtype, a[i / n]), widened(dtype, b[i % n]));
        // A sum that begins with +0 has no -0.
        const std::uint32_t sum = f32().add(0, term);
        ASSERT_EQ(got[i], SoftFloat(out).converted(f32(), sum)) << dtype_name(dtype) << " " << dtype_name(out);
      }
    }
  }
}

TEST(Reductions, IntegerProductsAreExactOrRefused) {
  int refused = 0, computed = 0;
  for (const Dtype dtype : kIntegers) {
    for (const Dtype out : kIntegers) {
      const Dtype acc = dtype == Dtype::i64 || out == Dtype::i64 ? Dtype::i64 : Dtype::i32;
      for (std::uint64_t round = 0; round < 40; ++round) {
        const std::int64_t m = 3, k = static_cast<std::int64_t>(1 + round), n = 2;
        const auto draw = [&](std::uint64_t seed, std::int64_t count) {
          Encodings values = random_encodings(dtype, 11'000 + 10 * round + seed, static_cast<std::size_t>(count));
          for (std::uint64_t& value : values) {
            value = low_bits_of(
                dtype, static_cast<std::uint64_t>(signed_value(dtype, value) >> (round % 8 * item_size(dtype))));
          }
          return values;
        };
        const Encodings a = draw(0, m * k), b = draw(1, k * n);
        std::vector<Wide> exact(static_cast<std::size_t>(m * n));
        bool fits = true;
        for (std::int64_t i = 0; i < m * n; ++i) {
          int carries = 0;  // out of 128 bits
          Wide& sum = exact[static_cast<std::size_t>(i)];
          for (std::int64_t j = 0; j < k; ++j) {
            const Wide term = Wide{signed_value(dtype, a[static_cast<std::size_t>(i / n * k + j)])} *
                              signed_value(dtype, b[static_cast<std::size_t>(j * n + i % n)]);
            if (__builtin_add_overflow(sum, term, &sum)) carries += term > 0 ? 1 : -1;
          }
          for (const Dtype holds : {acc, out}) {
            const Wide limit = Wide{1} << (8 * item_size(holds) - 1);
            fits = fits && carries == 0 && sum < limit && sum >= -limit;
          }
        }
        Machine machine;
        try {
          const Encodings got = machine.multiply(dtype, out, a, b, {m, k}, {k, n}, acc);
          ASSERT_TRUE(fits) << dtype_name(dtype) << " " << dtype_name(out) << " " << k;
          for (std::size_t i = 0; i < got.size(); ++i) {
            ASSERT_EQ(got[i], low_bits_of(out, static_cast<std::uint64_t>(exact[i])));
          }
          ++computed;
        } catch (const Error& error) {
          ASSERT_FALSE(fits) << error.what();
          ASSERT_EQ(error.code(), "VALUE_ERROR");
          ++refused;
        }
      }
    }
  }
  EXPECT_GT(refused, 50);
  EXPECT_GT(computed, 50);
}

}  // namespace
}  // namespace kb::tests
