// Functions, integer and bit operations and comparisons against plain arithmetic in long double and on digits, on
// random shapes that broadcast and are transposed (P-90).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "platform/data/executor.h"
#include "tests/unit/data/support.h"

namespace kb::data {
namespace {

using test::at;
using test::expect_error;
using test::get;
using test::put;
using test::record;
__extension__ typedef __int128 Wide;
using Real = long double;

constexpr std::uint64_t kX = 0x10000, kY = 0x20000, kOut = 0x40000;

// erf(x) = 2 / sqrt(pi) e^(-x^2) sum of 2^n x^(2n+1) / (1 3 5 ... (2n+1)), whose terms have one sign.
Real erf_series(Real x) {
  Real term = x, sum = 0;
  for (int n = 0; n < 400; ++n) {
    sum += term;
    term *= 2 * x * x / static_cast<Real>(2 * n + 3);
  }
  return 2 / std::sqrt(std::acos(Real{-1})) * std::exp(-x * x) * sum;
}
Real tanh_of(Real x) {
  return (std::exp(2 * x) - 1) / (std::exp(2 * x) + 1);
}
Real to_even(Real x) {
  const Real below = std::floor(x), above = below + 1;
  if (x - below != above - x) return x - below < above - x ? below : above;
  return std::fmod(below, Real{2}) == 0 ? below : above;
}

Real real_result(MathOp op, Real x, Real y) {
  switch (op) {
    case MathOp::rsqrt:
      return 1 / std::sqrt(x);
    case MathOp::tanh:
      return tanh_of(x);
    case MathOp::erf:
      return erf_series(x);
    case MathOp::gelu:
      return x * (1 + erf_series(x / std::sqrt(Real{2}))) / 2;
    case MathOp::gelu_tanh:
      return x * (1 + tanh_of(std::sqrt(2 / std::acos(Real{-1})) * (x + Real(0.044715) * x * x * x))) / 2;
    case MathOp::silu:
      return x / (1 + std::exp(-x));
    case MathOp::floor:
      return std::floor(x);
    case MathOp::ceil:
      return -std::floor(-x);
    case MathOp::round:
      return to_even(x);
    case MathOp::mod:
      return x - y * std::trunc(x / y);
    default:
      return 0;
  }
}

// Two's complement, lowest bit first.
std::vector<int> digits(Wide value, int bits) {
  std::vector<int> out;
  for (int i = 0; i < bits; ++i) {
    const auto low = static_cast<int>(((value % 2) + 2) % 2);
    out.push_back(low);
    value = (value - low) / 2;
  }
  return out;
}
Wide number(const std::vector<int>& digits) {
  Wide value = 0;
  for (std::size_t i = digits.size(); i-- > 0;) value = 2 * value + digits[i];
  return digits.back() == 1 ? value - (Wide{1} << digits.size()) : value;
}

Wide whole_result(MathOp op, Wide x, Wide y, int bits) {
  if (op == MathOp::mod) {
    const Wide rest = (x < 0 ? -x : x) % (y < 0 ? -y : y);
    return x < 0 ? -rest : rest;
  }
  const std::vector<int> a = digits(x, bits), b = digits(y, bits);
  std::vector<int> out(a.size());
  for (int i = 0; i < bits; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const int below = i - static_cast<int>(y), above = i + static_cast<int>(y);
    switch (op) {
      case MathOp::bit_and:
        out[at] = a[at] * b[at];
        break;
      case MathOp::bit_or:
        out[at] = std::max(a[at], b[at]);
        break;
      case MathOp::bit_xor:
        out[at] = (a[at] + b[at]) % 2;
        break;
      case MathOp::bit_not:
        out[at] = 1 - a[at];
        break;
      case MathOp::shl:
        out[at] = below >= 0 ? a[static_cast<std::size_t>(below)] : 0;
        break;
      case MathOp::shr:
        out[at] = above < bits ? a[static_cast<std::size_t>(above)] : a.back();
        break;
      case MathOp::shr_logical:
        out[at] = above < bits ? a[static_cast<std::size_t>(above)] : 0;
        break;
      default:
        break;
    }
  }
  return number(out);
}

bool is_shift(MathOp op) {
  return op == MathOp::shl || op == MathOp::shr || op == MathOp::shr_logical;
}

template <typename T>
double truth(MathOp op, T x, T y) {
  const int order = x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;  // 2: a NaN
  switch (op) {
    case MathOp::eq:
      return order == 0;
    case MathOp::ne:
      return order != 0;
    case MathOp::lt:
      return order == -1;
    case MathOp::le:
      return order == -1 || order == 0;
    case MathOp::gt:
      return order == 1;
    default:
      return order == 1 || order == 0;
  }
}

Dtype mask_of(Dtype dtype) {
  return dtype == Dtype::f32 ? Dtype::i32 : is_float(dtype) ? Dtype::i16 : dtype;
}

// Bytes and values of one operand as the operation sees it, in row-major order.
struct Tensor {
  OperandRef ref;
  std::vector<double> values;              // floats
  std::vector<std::int64_t> whole_values;  // integers
};

class Case {
 public:
  Tensor tensor(std::uint64_t pa, const Shape& shape, Dtype dtype, bool transposed, const std::vector<double>& reals,
                const std::vector<std::int64_t>& wholes) {
    Tensor t{at(pa, shape, dtype, transposed), reals, wholes};
    std::vector<std::byte> bytes = is_float(dtype) ? from_doubles(dtype, reals) : from_integers(dtype, wholes);
    t.values = is_float(dtype) ? to_doubles(dtype, bytes) : std::vector<double>();
    t.whole_values = is_float(dtype) ? std::vector<std::int64_t>() : to_integers(dtype, bytes);
    if (transposed) bytes = swapped(shape, item_size(dtype), bytes);
    memory_.scatter(t.ref.extents, bytes.data());
    return t;
  }
  std::vector<std::byte> run(MathOp op, const std::vector<OperandRef>& inputs, const OperandRef& out) {
    executor_.execute(record(MathOpRecord{op, inputs, out, {}}));
    return memory_.gather(out.extents);
  }

 private:
  static std::vector<std::byte> swapped(const Shape& shape, std::size_t item, const std::vector<std::byte>& in) {
    const auto rows = static_cast<std::size_t>(shape[shape.size() - 2]), cols = static_cast<std::size_t>(shape.back());
    std::vector<std::byte> out(in.size());
    for (std::size_t e = 0; e < in.size() / item; ++e) {
      const std::size_t matrix = e / (rows * cols), r = e / cols % rows, c = e % cols;
      std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(e * item), item,
                  out.begin() + static_cast<std::ptrdiff_t>((matrix * rows * cols + c * rows + r) * item));
    }
    return out;
  }

  MemoryStore memory_;
  Executor executor_{memory_};
};

// Number of the element of `own` that element `index` of `full` takes.
std::size_t broadcast_index(const Shape& own, const Shape& full, std::size_t index) {
  std::size_t at = 0, step = 1;
  for (std::size_t d = 0; d < full.size(); ++d) {
    const auto place = static_cast<std::int64_t>(index) % full[full.size() - 1 - d];
    index /= static_cast<std::size_t>(full[full.size() - 1 - d]);
    if (d >= own.size()) continue;
    const std::int64_t size = own[own.size() - 1 - d];
    at += step * static_cast<std::size_t>(place % size);
    step *= static_cast<std::size_t>(size);
  }
  return at;
}

std::vector<double> reals(MathOp op, std::size_t count, std::uint64_t seed) {
  std::vector<double> out = random_uniform(seed, count, op == MathOp::rsqrt ? 0.01 : -5.0, 5.0);
  for (std::size_t i = 0; i < count; i += 3) out[i] = std::floor(out[i] * 2) / 2;  // ties, and equal ones
  for (double& v : out) v = v == 0 && (op == MathOp::rsqrt || op == MathOp::mod) ? 0.5 : v;
  return out;
}
std::vector<std::int64_t> wholes(MathOp op, Dtype dtype, bool second, std::size_t count, std::uint64_t seed) {
  const int bits = static_cast<int>(item_size(dtype)) * 8;
  std::vector<std::int64_t> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto drawn = static_cast<std::int64_t>(random_bits(seed, i));
    out[i] = second && is_shift(op) ? static_cast<std::int64_t>(random_bits(seed, i) % static_cast<unsigned>(bits))
             : i % 2 == 0           ? drawn >> (64 - bits)
                                    : drawn % 5;
    if (second && op == MathOp::mod && out[i] == 0) out[i] = 3;
  }
  return out;
}

RC_GTEST_PROP(ExecutorFunctions, MatchPlainArithmeticOnRandomShapes, ()) {
  const auto op =
      static_cast<MathOp>(*rc::gen::inRange(static_cast<int>(MathOp::rsqrt), static_cast<int>(MathOp::ge) + 1));
  const MathDomain domain = math_domain(op);
  const Dtype dtype =
      domain == MathDomain::floats ? *rc::gen::element(Dtype::f16, Dtype::bf16, Dtype::f32)
      : domain == MathDomain::integers
          ? *rc::gen::element(Dtype::i8, Dtype::i16, Dtype::i32, Dtype::i64)
          : *rc::gen::elementOf(std::vector<Dtype>(std::begin(test::kAllDtypes), std::end(test::kAllDtypes)));
  const bool compares = math_form(op) == MathForm::comparison;
  const bool floats = is_float(dtype);
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1u << 20);
  Shape full;
  const auto rank = *rc::gen::inRange<std::size_t>(1, 4);
  for (std::size_t d = 0; d < rank; ++d) full.push_back(*rc::gen::inRange<std::int64_t>(1, 7));
  Shape narrow(full.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(rank)), full.end());
  for (std::int64_t& size : narrow) size = *rc::gen::arbitrary<bool>() ? size : 1;
  const int arity = math_arity(op);
  const bool narrow_first = arity == 2 && *rc::gen::arbitrary<bool>();

  Case c;
  std::vector<Tensor> in;
  for (int i = 0; i < arity; ++i) {
    const Shape& shape = arity == 2 && (i == 0) == narrow_first ? narrow : full;
    const auto count = static_cast<std::size_t>(element_count(shape));
    const bool transposed = shape.size() >= 2 && *rc::gen::arbitrary<bool>();
    in.push_back(c.tensor(
        i == 0 ? kX : kY, shape, dtype, transposed,
        floats ? reals(op, count, seed + static_cast<unsigned>(i)) : std::vector<double>(),
        floats ? std::vector<std::int64_t>() : wholes(op, dtype, i == 1, count, seed + static_cast<unsigned>(i))));
  }
  std::vector<OperandRef> refs;
  for (const Tensor& t : in) refs.push_back(t.ref);
  const TensorType type = math_result(op, refs, {});
  RC_ASSERT(type.shape == full);
  RC_ASSERT(type.dtype == (compares ? mask_of(dtype) : dtype));
  const std::vector<std::byte> bytes = c.run(op, refs, at(kOut, full, type.dtype));

  const int bits = static_cast<int>(item_size(dtype)) * 8;
  for (std::size_t e = 0; e < static_cast<std::size_t>(element_count(full)); ++e) {
    const auto input = [&](int i) { return broadcast_index(in[static_cast<std::size_t>(i)].ref.shape, full, e); };
    std::vector<std::byte> wanted;
    if (floats) {
      const double x = in[0].values[input(0)], y = arity == 2 ? in[1].values[input(1)] : 0;
      wanted = compares ? from_doubles(type.dtype, {truth(op, x, y)})
                        : from_doubles(dtype, {static_cast<double>(static_cast<float>(real_result(op, x, y)))});
    } else {
      const std::int64_t x = in[0].whole_values[input(0)], y = arity == 2 ? in[1].whole_values[input(1)] : 0;
      wanted = compares ? from_doubles(type.dtype, {truth(op, x, y)})
                        : from_integers(dtype, {static_cast<std::int64_t>(whole_result(op, x, y, bits))});
    }
    const std::vector<std::byte> got(bytes.begin() + static_cast<std::ptrdiff_t>(e * wanted.size()),
                                     bytes.begin() + static_cast<std::ptrdiff_t>((e + 1) * wanted.size()));
    // -0 and 0 are one number here: plain arithmetic loses the sign.
    RC_ASSERT(to_doubles(type.dtype, got)[0] == to_doubles(type.dtype, wanted)[0]);
    if (!floats) RC_ASSERT(got == wanted);
  }
}

struct Single {
  Case c;
  // Contents of an integer tensor; none of a float one, which may have infinities.
  static std::vector<std::int64_t> whole(Dtype dtype, const std::vector<double>& x) {
    if (is_float(dtype)) return std::vector<std::int64_t>(x.size());
    return {x.begin(), x.end()};
  }
  std::vector<double> of(MathOp op, Dtype dtype, std::vector<double> x, std::vector<double> y = {}) {
    const Shape shape{static_cast<std::int64_t>(x.size())};
    std::vector<OperandRef> in{at(kX, shape, dtype)};
    c.tensor(kX, shape, dtype, false, x, whole(dtype, x));
    if (!y.empty()) {
      in.push_back(at(kY, shape, dtype));
      c.tensor(kY, shape, dtype, false, y, whole(dtype, y));
    }
    const TensorType type = math_result(op, in, {});
    return to_doubles(type.dtype, c.run(op, in, at(kOut, shape, type.dtype)));
  }
};
using Values = std::vector<double>;
const double kInf = HUGE_VAL, kNan = std::nan("");

// Published digits: Abramowitz and Stegun, tables 7.1 and 26.1; DLMF 4.
TEST(ExecutorFunctions, HaveTheirKnownValues) {
  Single s;
  const auto near = [&](MathOp op, double x, double want) {
    EXPECT_NEAR(s.of(op, Dtype::f32, {x})[0], want, 1e-7 * std::max(1.0, std::fabs(want))) << math_op_name(op) << x;
  };
  near(MathOp::erf, 0.5, 0.5204998778);
  near(MathOp::erf, -1.0, -0.8427007929);
  near(MathOp::tanh, 1.0, 0.7615941560);
  near(MathOp::gelu, 1.0, 0.8413447461);
  near(MathOp::gelu, -2.0, -2 * 0.0227501319);
  near(MathOp::gelu_tanh, 1.0, 0.8411919906);
  near(MathOp::silu, 1.0, 0.7310585786);
  near(MathOp::rsqrt, 4.0, 0.5);
}

TEST(ExecutorFunctions, SpecialValues) {
  Single s;
  EXPECT_EQ(s.of(MathOp::tanh, Dtype::f32, {kInf, -kInf, 1e30}), (Values{1, -1, 1}));
  EXPECT_EQ(s.of(MathOp::erf, Dtype::f16, {kInf, -kInf, 20}), (Values{1, -1, 1}));
  EXPECT_EQ(s.of(MathOp::rsqrt, Dtype::f32, {0, kInf}), (Values{kInf, 0}));
  EXPECT_EQ(s.of(MathOp::gelu, Dtype::f32, {kInf, 1e30, -1e30}), (Values{kInf, static_cast<double>(1e30f), 0}));
  EXPECT_EQ(s.of(MathOp::silu, Dtype::f32, {kInf, -1e30}), (Values{kInf, 0}));
  EXPECT_EQ(s.of(MathOp::round, Dtype::f32, {0.5, 1.5, 2.5, -0.5, -1.5, 2.4999, kInf}),
            (Values{0, 2, 2, 0, -2, 2, kInf}));
  for (const MathOp op : {MathOp::rsqrt, MathOp::tanh, MathOp::erf, MathOp::gelu, MathOp::gelu_tanh, MathOp::silu,
                          MathOp::floor, MathOp::ceil, MathOp::round}) {
    EXPECT_TRUE(std::isnan(s.of(op, Dtype::f16, {kNan})[0])) << math_op_name(op);
  }
  EXPECT_TRUE(std::isnan(s.of(MathOp::rsqrt, Dtype::f32, {-1})[0]));
  EXPECT_TRUE(std::isnan(s.of(MathOp::mod, Dtype::f32, {1}, {0})[0]));
  EXPECT_EQ(s.of(MathOp::mod, Dtype::i8, {-128, -7, 7}, {-1, 3, -3}), (Values{0, -1, 1}));
  EXPECT_EQ(s.of(MathOp::eq, Dtype::f32, {kNan, 0}, {kNan, -0.0}), (Values{0, 1}));
  EXPECT_EQ(s.of(MathOp::ne, Dtype::bf16, {kNan, 1}, {kNan, 1}), (Values{1, 0}));
  for (const MathOp op : {MathOp::lt, MathOp::le, MathOp::gt, MathOp::ge}) {
    EXPECT_EQ(s.of(op, Dtype::f32, {kNan, 1}, {1, kNan}), (Values{0, 0})) << math_op_name(op);
  }
}

TEST(ExecutorFunctions, RefuseWhatCannotBeComputed) {
  Single s;
  expect_error(
      [&] {
        s.of(MathOp::mod, Dtype::i32, {7, 8}, {1, 0});
      },
      ErrorFamily::program, "DIVISION_BY_ZERO", {"mod: element 1 divides 8 by zero"});
  expect_error(
      [&] {
        s.of(MathOp::shl, Dtype::i8, {1, 1}, {7, 8});
      },
      ErrorFamily::program, "VALUE_ERROR", {"shl: element 1 shifts 1 by 8; i8 takes 0 to 7"});
  expect_error([&] { s.of(MathOp::shr, Dtype::i64, {1}, {-1}); }, ErrorFamily::program, "VALUE_ERROR",
               {"shifts 1 by -1; i64 takes 0 to 63"});
}

// The wider dtype is that of the arithmetic and of the result.
TEST(ExecutorFunctions, MixedFloatsComputeInF32) {
  for (const Dtype narrow : {Dtype::f16, Dtype::bf16}) {
    MemoryStore memory;
    Executor executor(memory);
    const OperandRef x = at(kX, {2}, narrow), y = at(kY, {2}, Dtype::f32), out = at(kOut, {2}, Dtype::f32);
    put(memory, x, {1.0, -2.0});
    put(memory, y, {0x1p-20, 1.0 + 0x1p-23});
    EXPECT_EQ(math_result(MathOp::add, {x, y}, {}).dtype, Dtype::f32);
    executor.execute(record(MathOpRecord{MathOp::add, {x, y}, out, {}}));
    EXPECT_EQ(get(memory, out), (Values{1.0 + 0x1p-20, -1.0 + 0x1p-23}));
    executor.execute(record(MathOpRecord{MathOp::mul, {y, x}, out, {}}));
    EXPECT_EQ(get(memory, out), (Values{0x1p-20, -2.0 - 0x1p-22}));
    executor.execute(record(MathOpRecord{MathOp::where, {x, x, y}, out, {}}));
    EXPECT_EQ(get(memory, out), (Values{1.0, -2.0}));
    executor.execute(record(MathOpRecord{MathOp::lt, {y, x}, at(kOut, {2}, Dtype::i32), {}}));
    EXPECT_EQ(get(memory, at(kOut, {2}, Dtype::i32)), (Values{1, 0}));
  }
}

}  // namespace
}  // namespace kb::data
