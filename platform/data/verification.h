// Comparing tensors with a reference result (P-91).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/dtype.h"

namespace kb::data {

// How far an expected float may be off before it is rounded to the tensor's dtype. An element without error must equal
// the once-rounded expected value; any other one satisfies
//   |actual - expected| <= u(dtype) * (|expected| + error) + error,
// a little more only where the dtype runs into its subnormal numbers.
struct ErrorBound {
  std::vector<double> errors;          // per element; empty: none
  std::vector<std::string> roundings;  // where errors come from, for the report
  std::string note;                    // for the table
};

struct VerificationRow {
  std::string tensor;
  Dtype dtype = Dtype::f16;
  Shape shape;
  double max_abs = 0;       // largest |actual - expected|
  double max_rel = 0;       // largest |actual - expected| / |expected| over expected != 0
  double tolerance = 0;     // largest |error| that any element was allowed
  double max_of_bound = 0;  // largest error as a fraction of what its element was allowed; infinite: none was
  std::uint64_t failures = 0;
  std::uint64_t first_failure = 0;  // element index, row-major; meaningful when failures > 0
  double first_actual = 0, first_expected = 0;
  std::uint64_t non_finite = 0;  // elements that are NaN or infinite as expected: equal, but no numbers were compared
  bool ok = true;
  bool equal = true;                   // the rule: every element equals, else some have a bound
  std::string bound;                   // the rule in words
  std::vector<std::string> roundings;  // what the bound allows for besides the rounding of the result
  std::string note;
};

// Indices of the element in the shape; row-major.
Shape place_in(const Shape& shape, std::uint64_t index);

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
// "Y: 3 of 8 elements ...", a sentence per row with elements that are not finite numbers on both sides.
std::vector<std::string> non_finite_warnings(const std::vector<VerificationRow>& rows);

}  // namespace kb::data
