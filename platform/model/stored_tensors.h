// The tensors that lie in a model's weight files, compared with those that its config.json calls for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/model/model_spec.h"

namespace kb::model {

struct StoredTensor {
  std::optional<Shape> shape;        // no value: the file has names only
  std::string dtype;                 // "BF16", as in the file; may be empty
  std::uint64_t begin = 0, end = 0;  // bytes of the file with its contents; equal: the file does not say
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

// Contents of a tensor in a .safetensors file, as they lie there: little-endian, row-major. Configuration Error when
// the file ends before.
std::vector<std::byte> stored_bytes(const std::string& file, const std::string& name, const StoredTensor& tensor);

}  // namespace kb::model
