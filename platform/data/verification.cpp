#include "platform/data/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "platform/base/error.h"
#include "platform/base/op_types.h"
#include "platform/data/element.h"

namespace kb::data {
namespace {

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

// Half of the smallest positive number of the dtype: the error of one rounding among subnormal numbers.
double subnormal_roundoff(Dtype dtype) {
  return dtype == Dtype::f16 ? 0x1p-25 : dtype == Dtype::bf16 ? 0x1p-134 : 0x1p-150;
}

double rounded(Dtype dtype, double value) {
  const std::uint64_t bits = encode_element(dtype, value);
  return decode_element(dtype, reinterpret_cast<const std::byte*>(&bits));  // little-endian host
}

void note_failure(VerificationRow& row, std::size_t index, double actual, double expected) {
  if (row.failures++ == 0) {
    row.first_failure = index;
    row.first_actual = actual;
    row.first_expected = expected;
  }
  row.ok = false;
}

struct Rule {
  Dtype dtype;
  const ErrorBound& bound;
  double p91(double expected) const { return p91_tolerance(dtype) * (1.0 + std::fabs(expected)); }
  double allowed(std::size_t i, double expected) const {
    if (bound.exact) return 0.0;
    if (bound.sum_abs_terms.empty()) return p91(expected);
    const double terms = bound.sum_abs_terms[i];
    if (!(terms > 0.0)) return 0.0;
    const double steps = bound.roundings + 1.0;
    return (steps * unit_roundoff(dtype) + bound.acc_roundings * unit_roundoff(Dtype::f32)) * terms +
           steps * subnormal_roundoff(dtype);
  }
  std::string text() const {
    if (bound.exact) return "equal";
    if (bound.sum_abs_terms.empty()) {
      return fmt::format("|err| <= {0:g} + {0:g} * |expected| (P-91)", p91_tolerance(dtype));
    }
    std::string factor = fmt::format("{:g} u({})", bound.roundings + 1.0, dtype_name(dtype));
    if (bound.acc_roundings > 0) factor = fmt::format("({} + {:g} u(f32))", factor, bound.acc_roundings);
    return fmt::format("|err| <= {} * sum|terms|", factor);
  }
};

std::string place_in(const Shape& shape, std::uint64_t index) {
  Shape at(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    at[d] = static_cast<std::int64_t>(index % static_cast<std::uint64_t>(shape[d]));
    index /= static_cast<std::uint64_t>(shape[d]);
  }
  return format_shape(at);
}

}  // namespace

double p91_tolerance(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
      return 1e-3;
    case Dtype::bf16:
      return 1e-2;
    case Dtype::f32:
      return 1e-5;
    default:
      return 0.0;
  }
}

double unit_roundoff(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
      return 0x1p-11;
    case Dtype::bf16:
      return 0x1p-8;
    case Dtype::f32:
      return 0x1p-24;
    default:
      return 0.0;
  }
}

VerificationRow compare(std::string tensor, Dtype dtype, const Shape& shape, const std::vector<std::byte>& actual,
                        const std::vector<double>& expected, const ErrorBound& bound) {
  check_sizes(tensor, dtype, shape, actual.size(), expected.size(), bound.sum_abs_terms.size());
  if (!is_float(dtype)) {
    throw Error::program(
        "DTYPE_ERROR", fmt::format("verification of {}: compare {} elements with integers", tensor, dtype_name(dtype)));
  }
  VerificationRow row;
  row.tensor = std::move(tensor);
  row.dtype = dtype;
  row.shape = shape;
  row.note = bound.note;
  const Rule rule{dtype, bound};
  row.bound = rule.text();
  std::uint64_t looser = 0;
  const std::vector<double> values = to_doubles(dtype, actual);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double want = expected[i];
    const double got = values[i];
    if (!std::isfinite(want) || !std::isfinite(got)) {
      const bool same = std::isnan(want) ? std::isnan(got) : got == rounded(dtype, want);
      row.non_finite += same ? 1 : 0;
      if (same) continue;
      row.max_abs = row.worst = std::numeric_limits<double>::infinity();
      note_failure(row, i, got, want);
      continue;
    }
    const double error = std::fabs(got - want);
    const double allowed = rule.allowed(i, want);
    looser += allowed > rule.p91(want) ? 1 : 0;
    row.max_abs = std::max(row.max_abs, error);
    if (want != 0.0) row.max_rel = std::max(row.max_rel, error / std::fabs(want));
    row.tolerance = std::max(row.tolerance, allowed);
    if (error > 0.0) {
      row.worst = std::max(row.worst, allowed > 0.0 ? error / allowed : std::numeric_limits<double>::infinity());
    }
    if (!(error <= allowed)) note_failure(row, i, got, want);
  }
  if (looser > 0) {
    row.note += fmt::format(
        "{}on {} of {} elements wider than the default {:g} + {:g} * |expected| (P-91): their sums cancel or are long, "
        "so that rounding alone may exceed it",
        row.note.empty() ? "" : "; ", looser, values.size(), p91_tolerance(dtype), p91_tolerance(dtype));
  }
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
    row.worst = std::numeric_limits<double>::infinity();
    note_failure(row, i, got, want);
  }
  return row;
}

std::string render_table(const std::vector<VerificationRow>& rows) {
  std::size_t name = 6, shape = 5;
  for (const VerificationRow& row : rows) {
    name = std::max(name, row.tensor.size());
    shape = std::max(shape, format_shape(row.shape).size());
  }
  std::string out = fmt::format("{:<{}}  {:<5}  {:<{}}  {:>9}  {:>9}  {:>9}  {:<6}  {}\n", "tensor", name, "dtype",
                                "shape", shape, "max_abs", "max_rel", "tolerance", "result", "bound");
  for (const VerificationRow& row : rows) {
    out += fmt::format("{:<{}}  {:<5}  {:<{}}  {:>9.3g}  {:>9.3g}  {:>9.3g}  {:<6}  {}\n", row.tensor, name,
                       dtype_name(row.dtype), format_shape(row.shape), shape, row.max_abs, row.max_rel, row.tolerance,
                       row.ok ? "ok" : "WRONG", row.bound);
    if (!row.ok) {
      out += fmt::format("{:<{}}  {} of {} elements are wrong; the first at {}: {:.9g} instead of {:.9g}\n", "", name,
                         row.failures, element_count(row.shape), place_in(row.shape, row.first_failure),
                         row.first_actual, row.first_expected);
    }
    if (!row.note.empty()) out += fmt::format("{:<{}}  note: {}\n", "", name, row.note);
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
        fmt::format("{}: {} of {} elements are NaN or infinite both as computed and as expected, so that they "
                    "show nothing; give the operation inputs of its domain",
                    row.tensor, row.non_finite, element_count(row.shape)));
  }
  return out;
}

}  // namespace kb::data
