#include "platform/model/rope_frequencies.h"

#include <algorithm>
#include <cmath>

namespace kb::model {
namespace {

const double kPi = std::acos(-1.0);

// Wavelengths below original / high_freq_factor stay, those above original / low_freq_factor are stretched, and between
// them both are mixed.
double llama3_frequency(const RopeSpec& rope, double frequency) {
  const auto original = static_cast<double>(rope.original_positions);
  const double wavelength = 2 * kPi / frequency;
  if (wavelength < original / rope.high_freq_factor) return frequency;
  if (wavelength > original / rope.low_freq_factor) return frequency / rope.factor;
  const double smooth = (original / wavelength - rope.low_freq_factor) / (rope.high_freq_factor - rope.low_freq_factor);
  return (1 - smooth) * frequency / rope.factor + smooth * frequency;
}

// Pair whose angle turns `rotations` times over the original positions.
double pair_of_rotations(const RopeSpec& rope, double dim, double rotations) {
  return dim * std::log(static_cast<double>(rope.original_positions) / (rotations * 2 * kPi)) /
         (2 * std::log(rope.theta));
}

double yarn_scale(double factor, double mscale) {
  return factor <= 1 ? 1 : 0.1 * mscale * std::log(factor) + 1;
}

void scale_by_yarn(const RopeSpec& rope, std::int64_t dim, RopeFrequencies& frequencies) {
  const auto size = static_cast<double>(dim);
  const double low = std::max(0.0, std::floor(pair_of_rotations(rope, size, rope.beta_fast)));
  double high = std::min(size - 1, std::ceil(pair_of_rotations(rope, size, rope.beta_slow)));
  if (low == high) high += 0.001;
  for (std::size_t i = 0; i < frequencies.inverse.size(); ++i) {
    const double ramp = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    frequencies.inverse[i] *= (1 - ramp) + ramp / rope.factor;
  }
  const double all = rope.mscale_all_dim;
  frequencies.attention_factor =
      all == 0 ? yarn_scale(rope.factor, 1) : yarn_scale(rope.factor, rope.mscale) / yarn_scale(rope.factor, all);
}

}  // namespace

RopeFrequencies rope_frequencies(const RopeSpec& rope, std::int64_t dim) {
  RopeFrequencies out;
  for (std::int64_t i = 0; i < dim / 2; ++i) {
    double frequency = std::pow(rope.theta, -2.0 * static_cast<double>(i) / static_cast<double>(dim));
    if (rope.type == RopeType::linear) frequency /= rope.factor;
    if (rope.type == RopeType::llama3) frequency = llama3_frequency(rope, frequency);
    out.inverse.push_back(frequency);
  }
  if (rope.type == RopeType::yarn) scale_by_yarn(rope, dim, out);
  return out;
}

}  // namespace kb::model
