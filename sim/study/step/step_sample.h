// A step of which some layers are simulated, for machines whose launches depend on what was before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/study/step/step_times.h"

namespace kb::step {

inline constexpr std::size_t kSampledLayers = 3;  // unless another number is asked for

// Layers to simulate: the first, and others spread evenly up to the last; all where there are no more than `count`,
// which is at least 2.
std::vector<std::int64_t> sampled_layers(std::int64_t layers, std::size_t count);

struct Sample {
  std::size_t layers = 0, of_layers = 0;          // that were simulated, and of how many
  TimeFs least = 0_fs, mean = 0_fs, most = 0_fs;  // of those but the first, on the slowest SIP
};

struct SampledTimes {
  StepTimes times;  // launches of other layers have the mean of those that were simulated
  Sample sample;
};

// Simulates these layers, and what belongs to none, one after the other in one run. The first layer, whose input lies
// otherwise, counts for the mean only where no other layer is simulated.
SampledTimes simulate_sample(const StepRun& run, std::size_t count);

}  // namespace kb::step
