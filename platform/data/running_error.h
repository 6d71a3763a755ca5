// Reference values with bounds on the rounding error of the machine's values: running error analysis (Higham, Accuracy
// and Stability of Numerical Algorithms, 2nd edition, chapter 3).
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "platform/base/dtype.h"

namespace kb::data {

// Unit roundoff: half a unit in the last place of 1. f16 2^-11, bf16 2^-8, f32 2^-24; 0 for integers.
double unit_roundoff(Dtype dtype);
// Half of the smallest positive number, the largest rounding error among subnormal numbers; 0 for integers.
double subnormal_roundoff(Dtype dtype);
// Largest finite number; infinite for integers.
double largest(Dtype dtype);
// n u / (1 - n u): the effect of n successive roundings, each by a factor of at most 1 + u; infinite when n u >= 1.
double gamma(double n, double u);
// Effect of n roundings on a sum, relative to the sum of its absolute terms: gamma where it is finite, otherwise (1 +
// u)^n - 1.
double sum_growth(double n, double u);
// Nearest number of a float dtype.
double nearest(Dtype dtype, double value);

// The machine's value lies within value +- error. With error 0 it is exactly `value`, which may be a NaN or an
// infinity. With an infinite error it is unknown and may be a NaN; `value` is then a finite number, for reports.
struct Bounded {
  double value = 0, error = 0;
};
Bounded unknown(double value);
// Corrects the error after value and error were summed: a NaN or an infinity is exact unless the error is not finite.
Bounded settled(Bounded x);

// The value after a rounding to the dtype. Rounding is monotone, so that the result lies between the rounded ends; it
// is exact when both ends round to the same number.
Bounded rounded(Dtype dtype, Bounded x);

// f32 operations of the engines, with one rounding each. NaNs and infinities propagate as in the engines.
Bounded add(Bounded x, Bounded y);
Bounded subtract(Bounded x, Bounded y);
Bounded multiply(Bounded x, Bounded y);
Bounded divide(Bounded x, Bounded y);  // unknown when the interval of y contains 0, unless y is exactly 0
Bounded multiply_add(Bounded x, Bounded y, Bounded z, Dtype dtype = Dtype::f32);  // rounded only to `dtype`
Bounded maximum(Bounded x, Bounded y);                                            // NaN when one operand is
Bounded minimum(Bounded x, Bounded y);
// Evaluates f in double and rounds to f32; `slope` bounds the derivative within the interval of x.
template <typename F>
Bounded function(F f, Bounded x, double slope) {
  constexpr double kLibrary = 0x1p-51;  // error of the mathematical library
  const double value = f(x.value);
  if (!std::isfinite(value) && x.error == 0) return {value, 0};
  const double moved = x.error == 0 ? 0 : slope * x.error;
  return rounded(Dtype::f32, {value, moved + kLibrary * std::fabs(value)});
}
Bounded exponential(Bounded x);
Bounded square_root(Bounded x);
Bounded logistic(Bounded x);
// Sum of f32 numbers, added one after the other like the machine's `sum` (P-90).
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

// x w, accumulated in f32 in any order, with up to `extra` roundings more than terms. An element is exact when its
// terms are multiples of a power of two and every partial sum of them is an f32 number. It is unknown when a partial
// sum can exceed the range of f32.
BoundedMatrix product(const BoundedMatrix& x, const BoundedMatrix& w, double extra = 0);

// Exponent of the lowest bit that is set; a large number for 0, a large negative number for values that are not finite.
int lowest_bit(double value);
// True when every partial sum of multiples of 2^`unit` with this sum of absolute values is a number of the dtype.
bool sums_exactly(Dtype dtype, double sum_abs_terms, int unit);

}  // namespace kb::data
