#include "platform/data/math_kernels.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "platform/base/error.h"
#include "platform/base/round_to_odd.h"
#include "platform/data/integer_range.h"
#include "platform/data/math_functions.h"

namespace kb::data {
namespace {

using I64 = std::int64_t;
using U64 = std::uint64_t;

I64 wrap(U64 value) {
  return static_cast<I64>(value);
}
U64 raw(I64 value) {
  return static_cast<U64>(value);
}

// maximum and minimum of IEEE 754-2019: NaNs propagate, and +0 is larger than -0.
template <typename T>
T larger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a != a || a > b ? a : b;
}
template <typename T>
T smaller(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a == b) return std::signbit(a) ? a : b;
  }
  return a != a || a < b ? a : b;
}
template <typename T>
T clamped(T x, T low, T high) {
  return smaller(larger(x, low), high);
}

template <typename F>
float in_double(F f, float x) {
  return static_cast<float>(f(static_cast<double>(x)));
}
float exponential(float x) {
  return in_double([](double v) { return std::exp(v); }, x);
}

template <typename T, typename F>
void each(std::vector<T>& out, const std::vector<T>& x, F f) {
  out.resize(x.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = f(x[i]);
}
template <typename T, typename F>
void each(std::vector<T>& out, const std::vector<T>& x, const std::vector<T>& y, F f) {
  out.resize(x.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = f(x[i], y[i]);
}
template <typename T, typename F>
void each(std::vector<T>& out, const std::vector<T>& x, const std::vector<T>& y, const std::vector<T>& z, F f) {
  out.resize(x.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = f(x[i], y[i], z[i]);
}

[[noreturn]] void fail_op(MathOp op, std::string_view type) {
  throw Error::model(fmt::format("data engine: {} has no {} form", math_op_name(op), type));
}

template <typename F>
void divide(const char* name, const std::vector<I64>& x, const std::vector<I64>& y, std::vector<I64>& out, F f) {
  out.resize(x.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (y[i] == 0) {
      throw Error::program("DIVISION_BY_ZERO", fmt::format("{}: element {} divides {} by zero", name, i, x[i]));
    }
    out[i] = f(x[i], y[i]);
  }
}

template <typename F>
void shift(MathOp op, int bits, const std::vector<I64>& x, const std::vector<I64>& y, std::vector<I64>& out, F f) {
  out.resize(x.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (y[i] < 0 || y[i] >= bits) {
      throw Error::program("VALUE_ERROR", fmt::format("{}: element {} shifts {} by {}; i{} takes 0 to {}",
                                                      math_op_name(op), i, x[i], y[i], bits, bits - 1));
    }
    out[i] = f(x[i], static_cast<int>(y[i]));
  }
}

// out(outer, inner) = fold of f over the axis, ascending, beginning with the first element.
template <typename T, typename F>
void fold(AxisView view, const std::vector<T>& x, std::vector<T>& out, F f) {
  out.assign(view.outer * view.inner, T{});
  if (view.length == 0) return;
  for (std::size_t o = 0; o < view.outer; ++o) {
    const T* in = x.data() + o * view.length * view.inner;
    T* to = out.data() + o * view.inner;
    for (std::size_t i = 0; i < view.inner; ++i) to[i] = in[i];
    for (std::size_t a = 1; a < view.length; ++a) {
      const T* slice = in + a * view.inner;
      for (std::size_t i = 0; i < view.inner; ++i) to[i] = f(to[i], slice[i]);
    }
  }
}

// out(outer, n, inner) = fold of f over the elements 0 .. n.
template <typename T, typename F>
void scan(AxisView view, const std::vector<T>& x, std::vector<T>& out, F f) {
  out = x;
  for (std::size_t o = 0; o < view.outer; ++o) {
    T* line = out.data() + o * view.length * view.inner;
    for (std::size_t i = view.inner; i < view.length * view.inner; ++i) line[i] = f(line[i - view.inner], line[i]);
  }
}

void softmax(AxisView view, const std::vector<float>& x, std::vector<float>& out) {
  std::vector<float> peak, sum;
  fold(view, x, peak, larger<float>);
  out.resize(x.size());
  const auto at_each = [&](auto f) {
    for (std::size_t o = 0; o < view.outer; ++o) {
      for (std::size_t a = 0; a < view.length; ++a) {
        for (std::size_t i = 0; i < view.inner; ++i) f((o * view.length + a) * view.inner + i, o * view.inner + i);
      }
    }
  };
  at_each([&](std::size_t element, std::size_t group) { out[element] = exponential(x[element] - peak[group]); });
  fold(view, out, sum, [](float a, float b) { return a + b; });
  at_each([&](std::size_t element, std::size_t group) { out[element] /= sum[group]; });
}

}  // namespace

AxisView axis_view(const Shape& shape, std::optional<int> axis) {
  AxisView view;
  if (!axis) {
    view.length = static_cast<std::size_t>(element_count(shape));
    return view;
  }
  const auto middle = static_cast<std::size_t>(normalize_axis(*axis, shape.size(), "axis"));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto size = static_cast<std::size_t>(shape[i]);
    (i < middle ? view.outer : i == middle ? view.length : view.inner) *= size;
  }
  return view;
}

void elementwise(MathOp op, const std::vector<float>& x, const std::vector<float>& y, const std::vector<float>& z,
                 std::vector<float>& out, Dtype result) {
  using D = double;
  switch (op) {
    case MathOp::add:
      return each(out, x, y, [](float a, float b) { return a + b; });
    case MathOp::sub:
      return each(out, x, y, [](float a, float b) { return a - b; });
    case MathOp::mul:
      return each(out, x, y, [](float a, float b) { return a * b; });
    case MathOp::div:
      return each(out, x, y, [](float a, float b) { return a / b; });
    case MathOp::maximum:
      return each(out, x, y, larger<float>);
    case MathOp::minimum:
      return each(out, x, y, smaller<float>);
    case MathOp::exp:
      return each(out, x, exponential);
    case MathOp::log:
      return each(out, x, [](float a) { return in_double([](D v) { return std::log(v); }, a); });
    case MathOp::sqrt:
      return each(out, x, [](float a) { return std::sqrt(a); });
    case MathOp::abs:
      return each(out, x, [](float a) { return std::fabs(a); });
    case MathOp::neg:
      return each(out, x, [](float a) { return -a; });
    case MathOp::sigmoid:
      return each(out, x, [](float a) { return in_double([](D v) { return 1.0 / (1.0 + std::exp(-v)); }, a); });
    case MathOp::cos:
      return each(out, x, [](float a) { return in_double([](D v) { return std::cos(v); }, a); });
    case MathOp::sin:
      return each(out, x, [](float a) { return in_double([](D v) { return std::sin(v); }, a); });
    case MathOp::relu:
      return each(out, x, [](float a) { return larger(a, 0.0f); });
    case MathOp::fma:
      if (result != Dtype::f32) return each(out, x, y, z, odd_fma);
      return each(out, x, y, z, [](float a, float b, float c) { return std::fma(a, b, c); });
    case MathOp::clamp:
      return each(out, x, y, z, clamped<float>);
    case MathOp::mod:
      return each(out, x, y, [](float a, float b) { return std::fmod(a, b); });
    case MathOp::rsqrt:
      return each(out, x, [](float a) { return in_double([](D v) { return 1.0 / std::sqrt(v); }, a); });
    case MathOp::tanh:
      return each(out, x, [](float a) { return in_double([](D v) { return std::tanh(v); }, a); });
    case MathOp::erf:
      return each(out, x, [](float a) { return in_double([](D v) { return std::erf(v); }, a); });
    case MathOp::gelu:
      return each(out, x, [](float a) { return in_double(gelu, a); });
    case MathOp::gelu_tanh:
      return each(out, x, [](float a) { return in_double(gelu_tanh, a); });
    case MathOp::silu:
      return each(out, x, [](float a) { return in_double(silu, a); });
    case MathOp::floor:
      return each(out, x, [](float a) { return std::floor(a); });
    case MathOp::ceil:
      return each(out, x, [](float a) { return std::ceil(a); });
    case MathOp::round:
      return each(out, x, [](float a) { return std::nearbyint(a); });
    default:
      fail_op(op, "elementwise float");
  }
}

void elementwise(MathOp op, const std::vector<I64>& x, const std::vector<I64>& y, const std::vector<I64>& z,
                 std::vector<I64>& out, int bits) {
  switch (op) {
    case MathOp::add:
      return each(out, x, y, [](I64 a, I64 b) { return wrap(raw(a) + raw(b)); });
    case MathOp::sub:
      return each(out, x, y, [](I64 a, I64 b) { return wrap(raw(a) - raw(b)); });
    case MathOp::mul:
      return each(out, x, y, [](I64 a, I64 b) { return wrap(raw(a) * raw(b)); });
    case MathOp::div:
      return divide("div", x, y, out, [](I64 a, I64 b) { return b == -1 ? wrap(0 - raw(a)) : a / b; });
    case MathOp::mod:
      return divide("mod", x, y, out, [](I64 a, I64 b) { return b == -1 ? 0 : a % b; });
    case MathOp::bit_and:
      return each(out, x, y, [](I64 a, I64 b) { return a & b; });
    case MathOp::bit_or:
      return each(out, x, y, [](I64 a, I64 b) { return a | b; });
    case MathOp::bit_xor:
      return each(out, x, y, [](I64 a, I64 b) { return a ^ b; });
    case MathOp::bit_not:
      return each(out, x, [](I64 a) { return ~a; });
    case MathOp::shl:
      return shift(op, bits, x, y, out, [](I64 a, int n) { return wrap(raw(a) << n); });
    case MathOp::shr:
      return shift(op, bits, x, y, out, [](I64 a, int n) { return a >> n; });
    case MathOp::shr_logical: {
      const U64 stored = ~U64{0} >> (64 - bits);
      return shift(op, bits, x, y, out, [&](I64 a, int n) { return wrap((raw(a) & stored) >> n); });
    }
    case MathOp::maximum:
      return each(out, x, y, larger<I64>);
    case MathOp::minimum:
      return each(out, x, y, smaller<I64>);
    case MathOp::abs:
      return each(out, x, [](I64 a) { return a < 0 ? wrap(0 - raw(a)) : a; });
    case MathOp::neg:
      return each(out, x, [](I64 a) { return wrap(0 - raw(a)); });
    case MathOp::relu:
      return each(out, x, [](I64 a) { return larger(a, I64{0}); });
    case MathOp::fma:
      return each(out, x, y, z, [](I64 a, I64 b, I64 c) { return wrap(raw(a) * raw(b) + raw(c)); });
    case MathOp::clamp:
      return each(out, x, y, z, clamped<I64>);
    default:
      fail_op(op, "elementwise integer");
  }
}

template <typename T>
void compare(MathOp op, const std::vector<T>& x, const std::vector<T>& y, std::vector<I64>& out) {
  const auto truth = [&](auto f) {
    out.resize(x.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = f(x[i], y[i]) ? 1 : 0;
  };
  switch (op) {
    case MathOp::eq:
      return truth([](T a, T b) { return a == b; });
    case MathOp::ne:
      return truth([](T a, T b) { return a != b; });
    case MathOp::lt:
      return truth([](T a, T b) { return a < b; });
    case MathOp::le:
      return truth([](T a, T b) { return a <= b; });
    case MathOp::gt:
      return truth([](T a, T b) { return a > b; });
    case MathOp::ge:
      return truth([](T a, T b) { return a >= b; });
    default:
      fail_op(op, "comparing");
  }
}
template void compare(MathOp, const std::vector<float>&, const std::vector<float>&, std::vector<I64>&);
template void compare(MathOp, const std::vector<I64>&, const std::vector<I64>&, std::vector<I64>&);

void along_axis(MathOp op, AxisView view, const std::vector<float>& x, std::vector<float>& out) {
  switch (op) {
    case MathOp::sum:
      return fold(view, x, out, [](float a, float b) { return a + b; });
    case MathOp::max:
      return fold(view, x, out, larger<float>);
    case MathOp::min:
      return fold(view, x, out, smaller<float>);
    case MathOp::softmax:
      return softmax(view, x, out);
    case MathOp::cumsum:
      return scan(view, x, out, [](float a, float b) { return a + b; });
    default:
      fail_op(op, "reducing float");
  }
}

void along_axis(MathOp op, AxisView view, const std::vector<I64>& x, std::vector<I64>& out, const OperandRef& result) {
  const auto sums = [&](auto combine) {
    const std::vector<Int128> wide(x.begin(), x.end());
    std::vector<Int128> exact;
    combine(view, wide, exact, [](Int128 a, Int128 b) { return a + b; });
    out = fitting(math_op_name(op), result.dtype, result.shape, exact, kWiderResult);
  };
  switch (op) {
    case MathOp::sum:
      return sums([](auto&&... arguments) { fold(arguments...); });
    case MathOp::max:
      return fold(view, x, out, larger<I64>);
    case MathOp::min:
      return fold(view, x, out, smaller<I64>);
    case MathOp::cumsum:
      return sums([](auto&&... arguments) { scan(arguments...); });
    default:
      fail_op(op, "reducing integer");
  }
}

}  // namespace kb::data
