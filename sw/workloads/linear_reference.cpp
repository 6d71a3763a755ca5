#include "sw/workloads/linear_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "platform/data/element.h"
#include "sw/parallel/host_parts.h"
#include "sw/workloads/deployed.h"
#include "sw/workloads/epilogue_reference.h"

namespace kb::sw {
namespace {

constexpr std::int64_t kVerifiedColumns = 64;
constexpr std::size_t kMaxRows = 16;  // maximum number of rows for an element-wise comparison
constexpr std::int64_t kColumnsAtOnce = 1024;

data::VerificationRow compare_all(const std::string& tensor, const HostArray& x, const HostArray& w,
                                  const HostArray* bias, const HostArray& y) {
  EpilogueGemm problem;
  problem.a = &x;
  problem.b = &w;
  problem.bias = bias;
  if (bias != nullptr) problem.chain = parse_epilogues("bias");
  return epilogue_row(tensor, problem, y);
}

std::uint64_t weight_of(std::size_t column) {
  return data::random_bits(1, column) | 1;
}

// True for an integer that fits 64 bits; false for NaN and infinities.
bool is_whole(double value) {
  return std::fabs(value) < 0x1p53 && value == std::floor(value);
}

// Row `row` of an array times the weights, modulo 2^64; false when an element is not an integer.
bool weighted_sum(const HostArray& array, std::size_t row, std::uint64_t& sum) {
  const auto width = static_cast<std::size_t>(array.shape()[1]);
  const std::byte* const from = array.bytes().data() + row * width * item_size(array.dtype());
  const std::vector<double> values = data::to_doubles(array.dtype(), from, width);
  sum = 0;
  bool whole = true;
  for (std::size_t j = 0; j < width; ++j) {
    whole = whole && is_whole(values[j]);
    sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(whole ? values[j] : 0)) * weight_of(j);
  }
  return whole;
}

// Rows of Y that differ from X x (W x weights) + b x weights; false when the operands are not integers.
bool find_suspects(const LinearProblem& problem, const HostArray& y, std::vector<std::int64_t>& suspects) {
  const auto m = static_cast<std::size_t>(y.shape()[0]), k = static_cast<std::size_t>(problem.w->shape()[0]);
  std::vector<std::uint64_t> of_w(k);
  for (std::size_t p = 0; p < k; ++p) {
    if (!weighted_sum(*problem.w, p, of_w[p])) return false;
  }
  std::uint64_t of_bias = 0;
  if (problem.bias != nullptr && !weighted_sum(*problem.bias, 0, of_bias)) return false;
  const std::vector<double> x = problem.x->to_doubles();
  for (std::size_t row = 0; row < m; ++row) {
    std::uint64_t expected = of_bias, actual = 0;
    for (std::size_t p = 0; p < k; ++p) {
      const double value = x[row * k + p];
      if (!is_whole(value)) return false;
      expected += static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) * of_w[p];
    }
    const bool whole = weighted_sum(y, row, actual);
    const auto bits = is_float(y.dtype()) ? 64U : 8 * static_cast<unsigned>(item_size(y.dtype()));
    if (!whole || (expected - actual) << (64 - bits) != 0) suspects.push_back(static_cast<std::int64_t>(row));
  }
  return true;
}

// The first wrong piece of a row; no value when the checksum differs only because an element was rounded.
std::optional<data::VerificationRow> wrong_in_row(const std::string& tensor, const LinearProblem& problem,
                                                  const HostArray& y, std::int64_t row) {
  const std::int64_t n = y.shape()[1];
  const HostArray x = rows_of(*problem.x, row, 1), own = rows_of(y, row, 1);
  for (std::int64_t first = 0; first < n; first += kColumnsAtOnce) {
    const std::int64_t count = std::min(kColumnsAtOnce, n - first);
    const HostArray bias = problem.bias != nullptr ? columns_of(*problem.bias, first, count) : HostArray();
    data::VerificationRow verdict = compare_all(
        fmt::format("{}, row {} from column {}", tensor, row, first), x, columns_of(*problem.w, first, count),
        problem.bias != nullptr ? &bias : nullptr, columns_of(own, first, count));
    if (!verdict.ok) return verdict;
  }
  return std::nullopt;
}

// Evenly spaced columns, and those that have or should have a NaN or an infinity; integer operands (`whole`) have none.
std::vector<std::int64_t> columns_of_interest(const LinearProblem& problem, const HostArray& y, bool whole) {
  const std::vector<std::int64_t> spaced = lines_to_compare(y, 1, kVerifiedColumns);
  std::set<std::int64_t> columns(spaced.begin(), spaced.end());
  if (whole) return {columns.begin(), columns.end()};
  columns.merge(non_finite_lines(*problem.w, 1, kVerifiedColumns));
  if (problem.bias != nullptr) columns.merge(non_finite_lines(*problem.bias, 1, kVerifiedColumns));
  return {columns.begin(), columns.end()};
}

// More rows than can be compared have a wrong checksum: it is not known whether they are right.
data::VerificationRow rows_not_compared(const std::string& tensor, const HostArray& y, std::size_t suspects,
                                        const std::string& reason) {
  data::VerificationRow row;
  row.tensor = fmt::format("{}, row by row", tensor);
  row.dtype = y.dtype();
  row.shape = y.shape();
  row.bound = "equal weighted sums, else each element";
  row.ok = false;
  row.note = fmt::format("{} of {} rows have {}; the first {} of them are right, the others were not compared",
                         suspects, y.shape()[0], reason, kMaxRows);
  return row;
}

}  // namespace

LinearVerdict linear_verdict(const std::string& tensor, const LinearProblem& problem, const HostArray& y,
                             double most_products) {
  LinearVerdict verdict;
  const std::int64_t n = y.shape()[1];
  const double products = static_cast<double>(element_count(y.shape())) * static_cast<double>(problem.x->shape()[1]);
  if (products <= most_products || n <= kVerifiedColumns) {
    verdict.rows.push_back(compare_all(tensor, *problem.x, *problem.w, problem.bias, y));
    return verdict;
  }
  std::vector<std::int64_t> suspects;
  const bool whole = find_suspects(problem, y, suspects);
  const std::vector<std::int64_t> columns = columns_of_interest(problem, y, whole);
  const HostArray bias = problem.bias != nullptr ? take_columns(*problem.bias, columns) : HostArray();
  verdict.rows.push_back(compare_all(tensor, *problem.x, take_columns(*problem.w, columns),
                                     problem.bias != nullptr ? &bias : nullptr, take_columns(y, columns)));
  std::string reason = "another weighted sum than the reference";
  verdict.note =
      fmt::format("{}: {} of {} columns were compared, and the weighted sum of every row", tensor, columns.size(), n);
  if (!whole) {
    const std::set<std::int64_t> rows = non_finite_lines(*problem.x, 0, y.shape()[0]);
    suspects.assign(rows.begin(), rows.end());
    reason = "a NaN or an infinity in X";
    verdict.note = fmt::format("{}: {} of {} columns were verified", tensor, columns.size(), n);
  }
  for (std::size_t i = 0; i < suspects.size() && i < kMaxRows; ++i) {
    std::optional<data::VerificationRow> wrong = wrong_in_row(tensor, problem, y, suspects[i]);
    if (!wrong) continue;
    verdict.rows.push_back(std::move(*wrong));
    return verdict;
  }
  if (suspects.size() > kMaxRows) verdict.rows.push_back(rows_not_compared(tensor, y, suspects.size(), reason));
  return verdict;
}

}  // namespace kb::sw
