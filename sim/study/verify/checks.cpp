#include "sim/study/verify/checks.h"

#include <cmath>
#include <cstddef>

#include "platform/base/error.h"

namespace kb::verify {
namespace {

double square(double value) {
  return value * value;
}

// Keeps what is not a number.
bool is_more(double figure, double than) {
  return std::isnan(figure) || figure > than;
}

}  // namespace

Bounds bounds_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32:
      return {1e-3, 1e-4, 1e-5};
    case Dtype::f16:
      return {0.1, 0.02, 0.005};
    case Dtype::bf16:
      return {0.6, 0.15, 0.04};
    default:
      throw Error::model("a model is verified in f32, f16 or bf16");
  }
}

void LogitCheck::add(double found, double expected, const std::string& where) {
  const double difference = std::fabs(found - expected);
  squares_ += square(difference);
  ++count_;
  if (std::isnan(largest_) || !is_more(difference, largest_)) return;
  largest_ = difference;
  where_ = where;
}

void LogitCheck::add(const std::vector<double>& found, const std::vector<double>& expected, const std::string& where) {
  if (found.size() != expected.size()) throw Error::model("vectors of logits of two sizes");
  for (std::size_t i = 0; i < found.size(); ++i) add(found[i], expected[i], where);
}

void LogitCheck::finish(const Bounds& bounds, std::vector<Check>& checks) const {
  checks.push_back({name_, against_, "largest difference", largest_, bounds.logit_max, where_});
  checks.push_back(
      {name_, against_, "rms difference", std::sqrt(squares_ / static_cast<double>(count_)), bounds.logit_rms, ""});
}

void CacheCheck::add_figure(double figure, const std::string& where) {
  if (std::isnan(largest_) || !is_more(figure, largest_)) return;
  largest_ = figure;
  where_ = where;
}

void CacheCheck::add(const std::vector<double>& found, const std::vector<double>& expected, const std::string& where) {
  if (found.size() != expected.size()) throw Error::model("caches of two sizes");
  double difference = 0, all = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    difference += square(found[i] - expected[i]);
    all += square(expected[i]);
  }
  add_figure(std::sqrt(difference / all), where);
}

void CacheCheck::add(const std::vector<double>& found, const GoldenCache& expected, const std::string& where) {
  const std::size_t tokens = expected.sum_by_pos.size(), elements = found.size() / tokens;
  std::vector<double> sums(tokens);
  double weighted = 0, squares = 0, weights = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double weight = static_cast<double>(i % 31) - 15;
    sums[i / elements] += found[i];
    weighted += weight * found[i];
    weights += square(weight);
    squares += square(found[i]);
  }
  double difference = 0;
  for (std::size_t i = 0; i < tokens; ++i) difference += square(sums[i] - expected.sum_by_pos[i]);
  // Differences of the elements add up like their roots of squares.
  add_figure(std::sqrt(difference) / expected.l2, where);
  add_figure(std::fabs(std::sqrt(squares) - expected.l2) / expected.l2, where);
  const double rms_weight = std::sqrt(weights / static_cast<double>(found.size()));
  add_figure(std::fabs(weighted - expected.wsum) / (rms_weight * expected.l2), where);
}

void CacheCheck::finish(const Bounds& bounds, std::vector<Check>& checks) const {
  checks.push_back({name_, against_, "relative rms", largest_, bounds.cache, where_});
}

}  // namespace kb::verify
