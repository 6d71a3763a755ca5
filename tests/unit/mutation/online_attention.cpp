#include "tests/unit/mutation/online_attention.h"

#include <algorithm>
#include <cmath>

namespace kb::mutation {
namespace {

float exponential(float x) {
  return static_cast<float>(std::exp(static_cast<double>(x)));
}

float once_rounded(float x, Dtype dtype) {
  return rounded(Matrix{1, 1, {x}}, dtype).values[0];
}

}  // namespace

OnlineAttention::OnlineAttention(Dtype dtype, std::size_t rows, std::size_t d, AttentionFault fault)
    : dtype_(dtype), fault_(fault), seen_(rows), m_(rows), l_(rows), o_{rows, d, std::vector<float>(rows * d)} {}

float OnlineAttention::score(const Matrix& q, const Matrix& k, std::size_t row, std::size_t key, bool lost,
                             Random& random) const {
  std::size_t left_out = q.cols;
  if (lost) {
    left_out = random.bits() % q.cols;
    while (q.at(row, left_out) * k.at(key, left_out) == 0) left_out = (left_out + 1) % q.cols;
  }
  float sum = 0;
  for (std::size_t i = 0; i < q.cols; ++i) sum += i == left_out ? 0 : q.at(row, i) * k.at(key, i);
  return sum * static_cast<float>(1 / std::sqrt(static_cast<double>(q.cols)));
}

void OnlineAttention::attend(const Matrix& q, const Matrix& k, const Matrix& v,
                             const std::function<bool(std::size_t, std::size_t)>& visible, Random& random) {
  const bool here = blocks_ == fault_.block;
  for (std::size_t row = 0; row < q.rows; ++row) {
    const bool faulty = here && row == fault_.row;
    std::vector<std::size_t> seen;
    for (std::size_t key = 0; key < k.rows; ++key) {
      if (!visible || visible(row, key)) seen.push_back(key);
    }
    const std::size_t lost =
        faulty && fault_.fault == Fault::lost_term && !seen.empty() ? seen[random.bits() % seen.size()] : k.rows;
    std::vector<float> scores;
    for (const std::size_t key : seen) scores.push_back(score(q, k, row, key, key == lost, random));
    if (row == fault_.row && fault_.fault == Fault::wrong_scale) {
      for (float& value : scores) value *= 2;
    }
    const bool first = !seen_[row];
    std::vector<float> weights(k.rows), weighted(o_.cols);  // keys that are not seen have the weight 0
    if (!first || !seen.empty()) {
      float top = first ? scores.front() : m_[row];
      for (const float value : scores) top = larger(top, value);
      if (!first) {
        const float decay = exponential(m_[row] - top);
        l_[row] *= decay;
        for (std::size_t i = 0; i < o_.cols; ++i) o_.at(row, i) *= decay;
      }
      m_[row] = top;
      seen_[row] = true;
      float sum = faulty && fault_.fault == Fault::stale_accumulator ? 1 : 0;
      for (std::size_t n = 0; n < seen.size(); ++n) {
        const float weight = exponential(scores[n] - top);
        weights[seen[n]] = once_rounded(weight, dtype_);
        sum += weight;
      }
      l_[row] += sum;
    }
    for (std::size_t key = 0; key < k.rows; ++key) {
      for (std::size_t i = 0; i < o_.cols; ++i) weighted[i] += weights[key] * v.at(key, i);
    }
    for (std::size_t i = 0; i < o_.cols; ++i) o_.at(row, i) = first ? weighted[i] : o_.at(row, i) + weighted[i];
  }
  ++blocks_;
}

void OnlineAttention::merge(const OnlineAttention& other) {
  for (std::size_t row = 0; row < m_.size(); ++row) {
    if (!other.seen_[row]) continue;
    if (!seen_[row]) m_[row] = other.m_[row];  // l and O are 0
    seen_[row] = true;
    const float top = larger(m_[row], other.m_[row]);
    const float mine = exponential(m_[row] - top), theirs = exponential(other.m_[row] - top);
    l_[row] = std::fma(l_[row], mine, other.l_[row] * theirs);
    for (std::size_t i = 0; i < o_.cols; ++i) {
      o_.at(row, i) = std::fma(o_.at(row, i), mine, other.o_.at(row, i) * theirs);
    }
    m_[row] = top;
  }
}

Matrix OnlineAttention::result() const {
  Matrix out = o_;
  for (std::size_t row = 0; row < out.rows; ++row) {
    if (fault_.fault == Fault::no_epilogue && row == fault_.row) continue;
    for (std::size_t i = 0; i < out.cols; ++i) out.at(row, i) /= l_[row];
  }
  return out;
}

}  // namespace kb::mutation
