// Which models the kernels of a step can compute.
#pragma once

#include <cstdint>

#include "platform/model/model_spec.h"

namespace kb::sw {

// Configuration Error that names what no kernel does yet: experts, latent attention, scaled 8-bit weights.
void require_kernels(const model::ModelSpec& spec);
// Sums over SIPs add up equal parts of the cubes. Configuration Error when the hidden size does not divide over them.
void require_sums(const model::ModelSpec& spec, std::int64_t cubes);

}  // namespace kb::sw
