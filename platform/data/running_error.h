// Values of a reference with a bound of how far rounding can have moved the machine's values from them: running error
// analysis (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, chapter 3).
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "platform/base/dtype.h"

namespace kb::data {

// Half a unit in the last place of 1: f16 2^-11, bf16 2^-8, f32 2^-24; 0 for integers.
double unit_roundoff(Dtype dtype);
// Half of the smallest positive number: the error of one rounding among subnormal numbers; 0 for integers.
double subnormal_roundoff(Dtype dtype);
// The largest finite number; of integers infinite.
double largest(Dtype dtype);
// n u / (1 - n u): n roundings in a row, each by a factor of at most 1 + u; infinite when n u >= 1.
double gamma(double n, double u);
// What n roundings can do to a sum, relative to the sum of its absolute terms: gamma, where it is finite, else
// (1 + u)^n - 1.
double sum_growth(double n, double u);
// The nearest number of the dtype, a float.
double nearest(Dtype dtype, double value);

// The machine's value is within value +- error; error 0: it is exactly this value, which may be a NaN or an infinity.
// Error infinite: nothing is known, it may be a NaN too; `value` is then a finite number, for reports.
struct Bounded {
  double value = 0, error = 0;
};
Bounded unknown(double value);
// Error of a value when both were added up: a NaN or an infinity is exact unless the error is not finite.
Bounded settled(Bounded x);

// After a rounding to the dtype. Rounding is monotone, so that the result lies between the rounded ends; where both
// are the same number it is exact again.
Bounded rounded(Dtype dtype, Bounded x);

// Operations of the engines in f32: one rounding each. NaNs and infinities go through them as through the engines'.
Bounded add(Bounded x, Bounded y);
Bounded subtract(Bounded x, Bounded y);
Bounded multiply(Bounded x, Bounded y);
Bounded divide(Bounded x, Bounded y);  // unknown when the interval of y contains 0, but for 0 itself
Bounded multiply_add(Bounded x, Bounded y, Bounded z, Dtype dtype = Dtype::f32);  // rounded to that dtype alone
Bounded maximum(Bounded x, Bounded y);                                            // NaN when one of them is
Bounded minimum(Bounded x, Bounded y);
// f evaluated in double and rounded to f32; `slope` bounds its derivative within the interval of x.
template <typename F>
Bounded function(F f, Bounded x, double slope) {
  constexpr double kLibrary = 0x1p-51;  // what the mathematical library may be off
  const double value = f(x.value);
  if (!std::isfinite(value) && x.error == 0) return {value, 0};
  const double moved = x.error == 0 ? 0 : slope * x.error;
  return rounded(Dtype::f32, {value, moved + kLibrary * std::fabs(value)});
}
Bounded exponential(Bounded x);
Bounded square_root(Bounded x);
Bounded logistic(Bounded x);
// The sum of f32 numbers, added one after the other as the machine's `sum` does (P-90).
Bounded ordered_sum(const std::vector<Bounded>& terms);

struct BoundedMatrix {  // row-major
  std::size_t rows = 0, cols = 0;
  std::vector<double> values, errors;
  Bounded at(std::size_t i) const { return {values[i], errors[i]}; }
  void set(std::size_t i, Bounded x) {
    values[i] = x.value;
    errors[i] = x.error;
  }
  bool exact() const;
};
BoundedMatrix exact_matrix(std::size_t rows, std::size_t cols, std::vector<double> values);
void round_to(Dtype dtype, BoundedMatrix& x);

// x w, accumulated in f32 in any order with up to `extra` roundings more than terms. An element is exact when its terms
// are multiples of a power of two and so few and small that every sum of them is an f32 number, and unknown when a
// part of the sum can be too large for f32 and another one brings it back.
BoundedMatrix product(const BoundedMatrix& x, const BoundedMatrix& w, double extra = 0);

// The exponent of the lowest bit that is set; a large number for 0, a large negative one for what is not finite.
int lowest_bit(double value);
// Whether each sum of some of these multiples of 2^`unit` is a number of the dtype.
bool sums_exactly(Dtype dtype, double sum_abs_terms, int unit);

}  // namespace kb::data
