#include "sw/workloads/attention_reference.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace kb::sw {
namespace {

using data::Bounded;
using data::BoundedMatrix;

BoundedMatrix transposed(const BoundedMatrix& x) {
  BoundedMatrix out = data::exact_matrix(x.cols, x.rows, std::vector<double>(x.values.size()));
  for (std::size_t row = 0; row < x.rows; ++row) {
    for (std::size_t col = 0; col < x.cols; ++col) out.set(col * x.rows + row, x.at(row * x.cols + col));
  }
  return out;
}

}  // namespace

AttentionRows::AttentionRows(Dtype dtype, std::size_t rows, std::size_t d)
    : dtype_(dtype),
      scale_{data::nearest(Dtype::f32, 1 / std::sqrt(static_cast<double>(d))), 0},
      m_(rows),
      l_(rows),
      o_(data::exact_matrix(rows, d, std::vector<double>(rows * d))) {}

void AttentionRows::attend(const BoundedMatrix& q, const BoundedMatrix& k, const BoundedMatrix& v,
                           const Visible& visible) {
  BoundedMatrix scores = data::product(q, transposed(k));
  BoundedMatrix weights = data::exact_matrix(scores.rows, scores.cols, std::vector<double>(scores.values.size()));
  std::vector<bool> first(scores.rows);  // keys that the row may attend to
  for (std::size_t row = 0; row < scores.rows; ++row) {
    first[row] = !m_[row];
    attend_row(row, scores, visible, weights);
  }
  const BoundedMatrix sums = data::product(weights, v);
  // The array adds to O in any order: O itself may take part in all of the roundings.
  const double roundings = data::gamma(static_cast<double>(v.rows), data::unit_roundoff(Dtype::f32));
  for (std::size_t i = 0; i < sums.values.size(); ++i) {
    Bounded before = o_.at(i);
    if (std::isfinite(before.value)) before.error += roundings * (std::fabs(before.value) + before.error);
    o_.set(i, first[i / o_.cols] ? sums.at(i) : data::add(before, sums.at(i)));
  }
}

void AttentionRows::attend_row(std::size_t row, const BoundedMatrix& scores, const Visible& visible,
                               BoundedMatrix& weights) {
  const std::size_t first = row * scores.cols;
  const auto sees = [&](std::size_t key) { return !visible || visible(row, key); };
  std::optional<Bounded> top = m_[row];
  for (std::size_t key = 0; key < scores.cols; ++key) {
    if (sees(key)) top = top ? data::maximum(*top, scores.at(first + key)) : scores.at(first + key);
  }
  if (!top) return;
  const Bounded shift = data::multiply(*top, {-scale_.value, 0});
  std::vector<Bounded> terms(scores.cols);
  for (std::size_t key = 0; key < scores.cols; ++key) {
    if (!sees(key)) continue;
    terms[key] = data::exponential(data::multiply_add(scores.at(first + key), scale_, shift));
    weights.set(first + key, data::rounded(dtype_, terms[key]));
  }
  const Bounded sum = data::ordered_sum(terms);
  if (!m_[row]) {
    l_[row] = sum;
  } else {
    const Bounded decay = data::exponential(data::multiply(data::subtract(*m_[row], *top), scale_));
    l_[row] = data::add(data::multiply(l_[row], decay), sum);
    for (std::size_t i = row * o_.cols; i < (row + 1) * o_.cols; ++i) o_.set(i, data::multiply(o_.at(i), decay));
  }
  m_[row] = top;
}

BoundedMatrix AttentionRows::result() const {
  BoundedMatrix out = o_;
  for (std::size_t i = 0; i < out.values.size(); ++i) out.set(i, data::divide(o_.at(i), l_[i / o_.cols]));
  return out;
}

BoundedMatrix AttentionRows::merged(const std::vector<AttentionRows>& parts) {
  if (parts.size() == 1) return parts.front().result();
  AttentionRows out = parts.front();
  for (std::size_t row = 0; row < out.m_.size(); ++row) {
    std::vector<const AttentionRows*> seen;  // parts in which the row has a key
    for (const AttentionRows& part : parts) {
      if (part.m_[row]) seen.push_back(&part);
    }
    Bounded top = *seen.front()->m_[row];
    double least = top.value;
    for (const AttentionRows* part : seen) {
      top = data::maximum(top, *part->m_[row]);
      least = std::min(least, part->m_[row]->value);
    }
    // A merge rounds the difference of two maxima, its product with the scale, its exponential, a product and a sum.
    const double scale = out.scale_.value;
    const double roundings = static_cast<double>(parts.size()) * (4 + 2 * scale * (top.value - least));
    const auto combined = [&](const std::function<Bounded(const AttentionRows&)>& read) {
      Bounded sum;
      double magnitude = 0;
      for (const AttentionRows* part : seen) {
        const Bounded term = read(*part), peak = *part->m_[row];
        const double factor = std::exp(scale * (peak.value - top.value));
        const double moved = std::expm1(scale * (peak.error + top.error));
        sum.value += factor * term.value;
        if (!std::isfinite(term.value)) continue;
        sum.error += factor * (term.error + moved * (std::fabs(term.value) + term.error));
        magnitude += factor * (std::fabs(term.value) + term.error);
      }
      sum = data::settled(sum);
      if (std::isfinite(sum.value)) sum.error += data::gamma(roundings, data::unit_roundoff(Dtype::f32)) * magnitude;
      return sum;
    };
    out.l_[row] = combined([&](const AttentionRows& part) { return part.l_[row]; });
    for (std::size_t i = row * out.o_.cols; i < (row + 1) * out.o_.cols; ++i) {
      out.o_.set(i, combined([&](const AttentionRows& part) { return part.o_.at(i); }));
    }
  }
  return out.result();
}

BoundedMatrix rows_of(const BoundedMatrix& matrix, std::size_t first, std::size_t count) {
  const auto part = [&](const std::vector<double>& from) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first * matrix.cols);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count * matrix.cols));
  };
  return {count, matrix.cols, part(matrix.values), part(matrix.errors)};
}

BoundedMatrix columns_of(const BoundedMatrix& matrix, std::size_t first, std::size_t count) {
  BoundedMatrix out = data::exact_matrix(matrix.rows, count, std::vector<double>(matrix.rows * count));
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    out.set(i, matrix.at(i / count * matrix.cols + first + i % count));
  }
  return out;
}

const char* attention_rounding() {
  return "scores, their exponentials and sums, weights in the dtype, sums of weighted rows in f32 (Higham 3.1, 3.3)";
}

}  // namespace kb::sw
