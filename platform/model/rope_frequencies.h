// Angles of rotary positions, with the scalings of long contexts.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/model/model_spec.h"

namespace kb::model {

struct RopeFrequencies {
  std::vector<double> inverse;  // radians per position, of each pair of a head's elements
  double attention_factor = 1;  // of cosine and sine
};

// `dim` rotated elements of a head. Sources: Su et al. 2021 (RoFormer); llama3: Hugging Face transformers,
// modeling_rope_utils.py; yarn: Peng et al. 2023, equations 17 to 25, with mscale as in DeepSeek-V2.
RopeFrequencies rope_frequencies(const RopeSpec& rope, std::int64_t dim);

}  // namespace kb::model
