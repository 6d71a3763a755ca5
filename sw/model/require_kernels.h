// Which models the kernels of a step can compute.
#pragma once

#include "platform/model/model_spec.h"

namespace kb::sw {

// Configuration Error that names what no kernel does yet: experts, latent attention, scaled 8-bit weights.
void require_kernels(const model::ModelSpec& spec);

}  // namespace kb::sw
