// The tensors that lie in a model's weight files, compared with those that its config.json calls for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/model/model_spec.h"

namespace kb::model {

struct StoredTensor {
  std::optional<Shape> shape;  // no value: the file has names only
  std::string dtype;           // "BF16", as in the file; may be empty
};
using StoredTensors = std::map<std::string, StoredTensor>;

// Reads the header of a .safetensors file, or the names of a .safetensors.index.json. Configuration Error with the file
// and what is wrong. Contents of tensors are not read.
StoredTensors read_stored_tensors(const std::string& file);

// Configuration Error for tensors that are missing or have another shape than the configuration says; returns warnings
// that name tensors without a use. Inverse frequencies, layers that predict further tokens, and the head of a tied
// model are no surprise.
std::vector<Diagnostic> check_stored_tensors(const ModelSpec& spec, const StoredTensors& stored,
                                             const std::string& file);

}  // namespace kb::model
