#include "platform/data/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "platform/base/error.h"
#include "platform/data/element.h"
#include "platform/data/running_error.h"
#include "platform/ops/op_types.h"

namespace kb::data {
namespace {

constexpr std::size_t kPieceElements = 4096;

void check_sizes(const std::string& tensor, Dtype dtype, const Shape& shape, std::size_t actual_bytes,
                 std::size_t expected, std::size_t terms) {
  const auto count = static_cast<std::size_t>(element_count(shape));
  if (actual_bytes != count * item_size(dtype) || expected != count || (terms != 0 && terms != count)) {
    throw Error::program(
        "SHAPE_ERROR",
        fmt::format("verification of {}: shape {} has {} elements; there are {} bytes of {} to compare with "
                    "{} expected values",
                    tensor, format_shape(shape), count, actual_bytes, dtype_name(dtype), expected));
  }
}

struct Element {
  std::size_t index = 0;
  double actual = 0, expected = 0;
};

void note_failure(VerificationRow& row, const Element& element) {
  if (row.failures++ == 0) {
    row.first_failure = element.index;
    row.first_actual = element.actual;
    row.first_expected = element.expected;
  }
  row.ok = false;
}

void note_unverified(VerificationRow& row, std::size_t index) {
  if (row.unverified++ == 0) row.first_unverified = index;
  row.ok = false;
}

std::string rule_text(Dtype dtype, std::uint64_t bounded, std::size_t count) {
  if (bounded == 0) return "equal";
  std::string rule = fmt::format("|err| <= u({}) |expected| + roundings", dtype_name(dtype));
  if (bounded < count) rule += fmt::format(" in {} of {} elements, the others are equal", bounded, count);
  return rule;
}

// Checks one element that is finite on both sides; returns false when it is wrong.
bool within(VerificationRow& row, double got, double want, double error) {
  const double target = error == 0 ? nearest(row.dtype, want) : want;
  const double off = std::fabs(got - target);
  const double allowed =
      error == 0 ? 0 : error + unit_roundoff(row.dtype) * (std::fabs(want) + error) + subnormal_roundoff(row.dtype);
  row.max_abs = std::max(row.max_abs, off);
  if (want != 0.0) row.max_rel = std::max(row.max_rel, off / std::fabs(want));
  row.tolerance = std::max(row.tolerance, allowed);
  if (off > 0.0) {
    row.max_of_bound =
        std::max(row.max_of_bound, allowed > 0.0 ? off / allowed : std::numeric_limits<double>::infinity());
  }
  return off <= allowed;
}

void note_emptiness(VerificationRow& row, std::size_t elements) {
  if (elements > 0) return;
  row.ok = false;
  row.note += row.note.empty() ? "it has no elements" : "; it has no elements";
}

// True when both are the same number or infinity, or both are NaN.
bool same(double x, double y) {
  return x == y || (std::isnan(x) && std::isnan(y));
}

// Classifies an element with a non-finite number on one side, or with an unknown error, by the dtype's representation
// of the ends of expected +- error. For example, e4m3 has NaN where other dtypes have infinities.
void classify(VerificationRow& row, Element element, double error) {
  const double got = element.actual, want = element.expected;
  // also false for NaN
  const bool known = std::isfinite(want), bounded = error < std::numeric_limits<double>::infinity();
  const bool never = std::isnan(got) && std::isinf(nearest(row.dtype, HUGE_VAL));  // no number rounds to NaN
  if (known && !bounded && !never) return note_unverified(row, element.index);
  const double margin = known && bounded ? error : 0;
  const double low = nearest(row.dtype, want - margin), high = nearest(row.dtype, want + margin);
  if (!std::isfinite(got) && (same(got, low) || same(got, high))) {
    ++row.non_finite;
    return;
  }
  row.max_abs = row.max_of_bound = std::numeric_limits<double>::infinity();
  if (error == 0) element.expected = low;
  note_failure(row, element);
}

// True when every number within expected +- error becomes the same infinity, or NaN, of the dtype.
bool overflows(Dtype dtype, double want, double error) {
  const double least = std::fabs(want) - error;
  return least > largest(dtype) && !std::isfinite(nearest(dtype, least));
}

void judge(VerificationRow& row, const Element& element, double error) {
  const double got = element.actual, want = element.expected;
  const bool numbers = std::isfinite(got) && std::isfinite(want) && std::isfinite(error);
  if (!numbers || overflows(row.dtype, want, error)) return classify(row, element, error);
  if (within(row, got, want, error)) return;
  note_failure(row, {element.index, got, error == 0 ? nearest(row.dtype, want) : want});
}

// "2 of 4 elements are wrong; the first at (1, 0)"
std::string elements_text(const VerificationRow& row, std::uint64_t count, const char* what, std::uint64_t first) {
  return fmt::format("{} of {} elements are {}; the first at {}", count, element_count(row.shape), what,
                     format_shape(place_in(row.shape, first)));
}

const char* shouted(RowStatus status) {
  return status == RowStatus::ok ? "ok" : status == RowStatus::wrong ? "WRONG" : "NOT VERIFIED";
}

}  // namespace

const char* name_of(RowStatus status) {
  return status == RowStatus::ok ? "ok" : status == RowStatus::wrong ? "wrong" : "not verified";
}

Shape place_in(const Shape& shape, std::uint64_t index) {
  Shape at(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    at[d] = static_cast<std::int64_t>(index % static_cast<std::uint64_t>(shape[d]));
    index /= static_cast<std::uint64_t>(shape[d]);
  }
  return at;
}

VerificationRow compare(std::string tensor, Dtype dtype, const Shape& shape, const std::vector<std::byte>& actual,
                        const std::vector<double>& expected, const ErrorBound& bound) {
  check_sizes(tensor, dtype, shape, actual.size(), expected.size(), bound.errors.size());
  if (!is_float(dtype)) {
    throw Error::program(
        "DTYPE_ERROR", fmt::format("verification of {}: compare {} elements with integers", tensor, dtype_name(dtype)));
  }
  VerificationRow row;
  row.tensor = std::move(tensor);
  row.dtype = dtype;
  row.shape = shape;
  row.note = bound.note;
  std::uint64_t bounded = 0;
  std::vector<double> values;  // of one piece at a time, because all decoded values would be larger than the tensor
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::size_t in_piece = i % kPieceElements;
    if (in_piece == 0) {
      values = to_doubles(dtype, actual.data() + i * item_size(dtype), std::min(kPieceElements, expected.size() - i));
    }
    const double error = bound.errors.empty() ? 0.0 : bound.errors[i];
    bounded += error == 0 ? 0 : 1;
    judge(row, {i, values[in_piece], expected[i]}, error);
  }
  row.equal = bounded == 0;
  row.bound = rule_text(dtype, bounded, expected.size());
  if (!row.equal) row.roundings = bound.roundings;
  note_emptiness(row, expected.size());
  return row;
}

VerificationRow compare(std::string tensor, Dtype dtype, const Shape& shape, const std::vector<std::byte>& actual,
                        const std::vector<std::int64_t>& expected) {
  check_sizes(tensor, dtype, shape, actual.size(), expected.size(), 0);
  VerificationRow row;
  row.tensor = std::move(tensor);
  row.dtype = dtype;
  row.shape = shape;
  row.bound = "equal";
  const std::vector<std::int64_t> values = to_integers(dtype, actual);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == expected[i]) continue;
    const double got = static_cast<double>(values[i]);
    const double want = static_cast<double>(expected[i]);
    row.max_abs = std::max(row.max_abs, std::fabs(got - want));
    if (expected[i] != 0) row.max_rel = std::max(row.max_rel, std::fabs(got - want) / std::fabs(want));
    row.max_of_bound = std::numeric_limits<double>::infinity();
    note_failure(row, {i, got, want});
  }
  note_emptiness(row, expected.size());
  return row;
}

std::string render_table(const std::vector<VerificationRow>& rows) {
  std::size_t name = 6, shape = 5, result = 6;
  for (const VerificationRow& row : rows) {
    name = std::max(name, row.tensor.size());
    shape = std::max(shape, format_shape(row.shape).size());
    result = std::max(result, std::string(shouted(row.status())).size());
  }
  std::string out =
      fmt::format("{:<{}}  {:<5}  {:<{}}  {:>9}  {:>9}  {:>9}  {:>8}  {:<{}}  {}\n", "tensor", name, "dtype", "shape",
                  shape, "max_abs", "max_rel", "tolerance", "of bound", "result", result, "rule");
  for (const VerificationRow& row : rows) {
    // Not meaningful with a bound: cancelling terms leave a small number with a large relative error.
    const std::string relative = row.equal || !row.ok ? fmt::format("{:.3g}", row.max_rel) : "-";
    out += fmt::format("{:<{}}  {:<5}  {:<{}}  {:>9.3g}  {:>9}  {:>9.3g}  {:>8.3g}  {:<{}}  {}\n", row.tensor, name,
                       dtype_name(row.dtype), format_shape(row.shape), shape, row.max_abs, relative, row.tolerance,
                       row.max_of_bound, shouted(row.status()), result, row.bound);
    const std::string indent(name + 2, ' ');
    if (row.failures > 0) {
      out += indent + elements_text(row, row.failures, "wrong", row.first_failure) +
             fmt::format(": {:.9g} instead of {:.9g}\n", row.first_actual, row.first_expected);
    }
    if (row.unverified > 0) {
      out += indent + elements_text(row, row.unverified, "not verified, the error has no bound", row.first_unverified) +
             '\n';
    }
    for (const std::string& rounding : row.roundings) out += indent + "+ " + rounding + '\n';
    if (!row.note.empty()) out += indent + "note: " + row.note + '\n';
  }
  return out;
}

bool all_ok(const std::vector<VerificationRow>& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const VerificationRow& row) { return row.ok; });
}

std::vector<std::string> non_finite_warnings(const std::vector<VerificationRow>& rows) {
  std::vector<std::string> out;
  for (const VerificationRow& row : rows) {
    if (row.non_finite == 0) continue;
    out.push_back(
        fmt::format("{}: {} of {} elements are NaN or infinite both as computed and as expected, so that they show "
                    "nothing; give the operation inputs of its domain",
                    row.tensor, row.non_finite, element_count(row.shape)));
  }
  return out;
}

}  // namespace kb::data
