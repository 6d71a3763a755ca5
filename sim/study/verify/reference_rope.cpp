#include "sim/study/verify/reference_rope.h"

#include <cmath>
#include <cstddef>

namespace kb::verify {
namespace {

constexpr double kFullTurn = 6.283185307179586476925286766559;

double clamped(double value) {
  return value < 0 ? 0 : value > 1 ? 1 : value;
}

// Full turns that a pair makes over the context of the training decide how far it is slowed down.
double llama3(const model::RopeSpec& rope, double angle) {
  const double turns = static_cast<double>(rope.original_positions) * angle / kFullTurn;
  const double kept = clamped((turns - rope.low_freq_factor) / (rope.high_freq_factor - rope.low_freq_factor));
  return angle * (kept + (1 - kept) / rope.factor);
}

// Index, as a real number, of the pair that makes so many turns over the context of the training.
double pair_with_turns(const model::RopeSpec& rope, double dim, double turns) {
  return 0.5 * dim * std::log(static_cast<double>(rope.original_positions) / (kFullTurn * turns)) /
         std::log(rope.theta);
}

double yarn(const model::RopeSpec& rope, double dim, double pair, double angle) {
  double first = std::floor(pair_with_turns(rope, dim, rope.beta_fast));
  double last = std::ceil(pair_with_turns(rope, dim, rope.beta_slow));
  if (first < 0) first = 0;
  if (last > dim - 1) last = dim - 1;
  if (first == last) last += 0.001;
  const double slowed = clamped((pair - first) / (last - first));
  return angle * (1 - slowed) + angle / rope.factor * slowed;
}

double yarn_length(const model::RopeSpec& rope) {
  const auto stretched = [&rope](double scale) {
    return rope.factor > 1 ? 1 + 0.1 * scale * std::log(rope.factor) : 1.0;
  };
  return rope.mscale_all_dim == 0 ? stretched(1) : stretched(rope.mscale) / stretched(rope.mscale_all_dim);
}

}  // namespace

ReferenceRope::ReferenceRope(const model::RopeSpec& rope, std::int64_t head_dim) {
  const auto dim = static_cast<double>(head_dim);
  for (std::int64_t pair = 0; pair < head_dim / 2; ++pair) {
    const double angle = std::exp(-std::log(rope.theta) * 2 * static_cast<double>(pair) / dim);
    switch (rope.type) {
      case model::RopeType::plain:
        turns_per_token_.push_back(angle);
        break;
      case model::RopeType::linear:
        turns_per_token_.push_back(angle / rope.factor);
        break;
      case model::RopeType::llama3:
        turns_per_token_.push_back(llama3(rope, angle));
        break;
      case model::RopeType::yarn:
        turns_per_token_.push_back(yarn(rope, dim, static_cast<double>(pair), angle));
        break;
    }
  }
  if (rope.type == model::RopeType::yarn) length_ = yarn_length(rope);
}

void ReferenceRope::turn(double* head, std::int64_t position) const {
  const std::size_t half = turns_per_token_.size();
  for (std::size_t i = 0; i < half; ++i) {
    const double angle = static_cast<double>(position) * turns_per_token_[i];
    const double c = length_ * std::cos(angle), s = length_ * std::sin(angle), x = head[i], y = head[i + half];
    head[i] = x * c - y * s;
    head[i + half] = y * c + x * s;
  }
}

}  // namespace kb::verify
