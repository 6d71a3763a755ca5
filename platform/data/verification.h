// Comparing tensors with a reference result (P-91).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/dtype.h"

namespace kb::data {

// What is known about how an expected float tensor was computed. With `sum_abs_terms` an element may be off by
//   ((roundings + 1) * u(dtype) + acc_roundings * u(f32)) * sum|terms|,   u = half a unit in the last place of 1,
// a little more only where f16 runs into its subnormal numbers. Without it P-91's tolerance holds.
struct ErrorBound {
  bool exact = false;                 // no error at all; the rest does not count
  std::vector<double> sum_abs_terms;  // per element; empty = unknown
  double roundings = 0;               // roundings to the tensor's dtype that one element saw
  double acc_roundings = 0;           // roundings to f32 inside sums
  std::string note;                   // for the table
};

struct VerificationRow {
  std::string tensor;
  Dtype dtype = Dtype::f16;
  Shape shape;
  double max_abs = 0;    // largest |actual - expected|
  double max_rel = 0;    // largest |actual - expected| / |expected| over expected != 0
  double tolerance = 0;  // largest |error| that any element was allowed
  double worst = 0;      // largest error as a fraction of what its element was allowed
  std::uint64_t failures = 0;
  std::uint64_t first_failure = 0;  // element index, row-major; meaningful when failures > 0
  double first_actual = 0, first_expected = 0;
  std::uint64_t non_finite = 0;  // elements that are NaN or infinite as expected: equal, but no numbers were compared
  bool ok = true;
  std::string bound;  // the rule used, in words
  std::string note;   // why the rule is looser than P-91, if it is
};

// rtol = atol of P-91: f32 1e-5, f16 1e-3, bf16 1e-2; 0 for integers.
double p91_tolerance(Dtype dtype);
// Half a unit in the last place of 1: f16 2^-11, bf16 2^-8, f32 2^-24; 0 for integers.
double unit_roundoff(Dtype dtype);

// `actual` are row-major elements as stored. Infinities must agree with the expected value rounded to the dtype, and so
// must NaNs. Program Error SHAPE_ERROR when the sizes differ.
VerificationRow compare(std::string tensor, Dtype dtype, const Shape& shape, const std::vector<std::byte>& actual,
                        const std::vector<double>& expected, const ErrorBound& bound = {});
// Integers: equality.
VerificationRow compare(std::string tensor, Dtype dtype, const Shape& shape, const std::vector<std::byte>& actual,
                        const std::vector<std::int64_t>& expected);

// A table for people, one line per row, with notes and the first wrong element below it.
std::string render_table(const std::vector<VerificationRow>& rows);
bool all_ok(const std::vector<VerificationRow>& rows);
// "Y: 3 of 8 elements ...", a sentence per row with elements that are no finite numbers on both sides.
std::vector<std::string> non_finite_warnings(const std::vector<VerificationRow>& rows);

}  // namespace kb::data
