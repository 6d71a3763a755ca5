// Compares tensors with reference results (P-91).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/dtype.h"

namespace kb::data {

// Error bounds of expected floats before they are rounded to the tensor's dtype. An element with error 0 must equal the
// once-rounded expected value; any other element satisfies
//   |actual - expected| <= u(dtype) * (|expected| + error) + error,
// and slightly more where the dtype has subnormal numbers.
struct ErrorBound {
  std::vector<double> errors;          // per element; empty: all 0. Infinite or NaN: not known
  std::vector<std::string> roundings;  // sources of the errors, for the report
  std::string note;                    // for the table
};

// wrong: at least one element is wrong. not_verified: no element is wrong, but some could not be judged, or there were
// none.
enum class RowStatus : std::uint8_t { ok, wrong, not_verified };
const char* name_of(RowStatus status);  // "not verified"

struct VerificationRow {
  std::string tensor;
  Dtype dtype = Dtype::f16;
  Shape shape;
  double max_abs = 0;    // largest |actual - expected|
  double max_rel = 0;    // largest |actual - expected| / |expected| over expected != 0
  double tolerance = 0;  // largest |error| that was allowed for an element
  // largest error as a fraction of the allowed one; infinite when an error was not allowed at all
  double max_of_bound = 0;
  std::uint64_t failures = 0;
  std::uint64_t first_failure = 0;  // element index, row-major; meaningful when failures > 0
  double first_actual = 0, first_expected = 0;
  // elements that cannot be judged: the expected value is finite and its error is not known
  std::uint64_t unverified = 0;
  std::uint64_t first_unverified = 0;
  // elements that are NaN or infinite as expected; they are right, but no numbers were compared
  std::uint64_t non_finite = 0;
  bool ok = true;                      // no element is wrong or unverified
  bool equal = true;                   // true: all elements must be equal; false: some have an error bound
  std::string bound;                   // the rule in words
  std::vector<std::string> roundings;  // roundings that the bound allows for, besides the rounding of the result
  std::string note;

  RowStatus status() const { return ok ? RowStatus::ok : failures > 0 ? RowStatus::wrong : RowStatus::not_verified; }
};

// Multi-dimensional index of a row-major element index.
Shape place_in(const Shape& shape, std::uint64_t index);

// `actual` holds row-major elements as stored. Values that are not finite are classified first:
//   a NaN or an infinity is expected   right when the same, in the dtype, was computed, whatever the error is
//   a NaN or an infinity was computed  right when either end of expected +- error rounds to it
//   the error is infinite or NaN       not verified; wrong when a NaN was computed
//   both ends round to one infinity    wrong when a finite number was computed
// Program Error SHAPE_ERROR when the sizes differ.
VerificationRow compare(std::string tensor, Dtype dtype, const Shape& shape, const std::vector<std::byte>& actual,
                        const std::vector<double>& expected, const ErrorBound& bound = {});
// Integers must be equal.
VerificationRow compare(std::string tensor, Dtype dtype, const Shape& shape, const std::vector<std::byte>& actual,
                        const std::vector<std::int64_t>& expected);

// Formats a table with one line per row; notes and the first wrong element follow.
std::string render_table(const std::vector<VerificationRow>& rows);
bool all_ok(const std::vector<VerificationRow>& rows);
// Returns a sentence ("Y: 3 of 8 elements ...") for each row in which expected and actual elements are not finite
// numbers.
std::vector<std::string> non_finite_warnings(const std::vector<VerificationRow>& rows);

}  // namespace kb::data
