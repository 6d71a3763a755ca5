// Weights of a model on the host.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "platform/model/model_spec.h"

namespace kb::verify {

// Row-major values by the names of the model's file.
struct ModelWeights {
  std::map<std::string, std::vector<double>> tensors;
  const std::vector<double>& at(const std::string& name) const;  // model Error when there is none
};

// Depends only on the model and the seed. Every value is exact in bf16. Scales are such that activations stay near one
// and logits have a standard deviation of about three.
ModelWeights seeded_weights(const model::ModelSpec& spec, std::uint64_t seed);

// Tensors of a .safetensors file in F32, BF16 or F16. Configuration Error as check_stored_tensors(), and for another
// dtype or a file that is not complete; its warnings are added to `warnings`.
ModelWeights stored_weights(const model::ModelSpec& spec, const std::string& file, std::vector<Diagnostic>& warnings);

}  // namespace kb::verify
