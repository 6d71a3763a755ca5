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
  std::vector<double> errors;          // per element; empty: none. Infinite or NaN: not known
  std::vector<std::string> roundings;  // where errors come from, for the report
  std::string note;                    // for the table
};

// Wrong: an element is. Not verified: no element is wrong, but one could not be judged, or there was none.
enum class RowStatus : std::uint8_t { ok, wrong, not_verified };
const char* name_of(RowStatus status);  // "not verified"

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
  std::uint64_t unverified = 0;  // elements that are not judged: what is expected is finite and its error is not known
  std::uint64_t first_unverified = 0;
  std::uint64_t non_finite = 0;  // elements that are NaN or infinite as expected: right, but no numbers were compared
  bool ok = true;                // neither wrong nor not verified
  bool equal = true;             // the rule: every element equals, else some have a bound
  std::string bound;             // the rule in words
  std::vector<std::string> roundings;  // what the bound allows for besides the rounding of the result
  std::string note;

  RowStatus status() const { return ok ? RowStatus::ok : failures > 0 ? RowStatus::wrong : RowStatus::not_verified; }
};

// Indices of the element in the shape; row-major.
Shape place_in(const Shape& shape, std::uint64_t index);

// `actual` are row-major elements as stored. What is not a finite number is classified first:
//   a NaN or an infinity is expected   right when the same, in the dtype, was computed, whatever the error is
//   a NaN or an infinity was computed  right when either end of expected +- error rounds to it
//   the error is infinite or NaN       not verified; wrong when a NaN was computed
//   both ends round to one infinity    wrong when a finite number was computed
// Program Error SHAPE_ERROR when the sizes differ.
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
