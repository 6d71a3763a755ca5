#include "sim/study/verify/model_weights.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <utility>

#include "platform/base/error.h"
#include "platform/data/element.h"
#include "platform/model/stored_tensors.h"
#include "platform/model/weights.h"
#include "sw/tensor/host_array.h"

namespace kb::verify {
namespace {

constexpr double kLogitDeviation = 3.0;                // rows of the head times a normalised input
constexpr double kScoreGain = 1.5;                     // of queries and of keys, so that attention is no plain mean
constexpr double kSpread = 0.1;                        // of biases, and of the weights of norms around one
constexpr std::uint64_t kStride = 0x9E3779B97F4A7C15;  // between the seeds of two tensors

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

struct Distribution {
  double mean = 0, deviation = 1;
};

Distribution distribution_of(const model::ModelSpec& spec, const model::WeightTensor& weight) {
  const double fan_in = std::sqrt(static_cast<double>(weight.columns()));
  if (ends_with(weight.role, ".bias")) return {0, kSpread};
  if (weight.shape.size() == 1) return {1, kSpread};
  if (ends_with(weight.role, "lm_head.weight")) return {0, kLogitDeviation / fan_in};
  if (ends_with(weight.role, "embed_tokens.weight")) return {0, spec.tied ? kLogitDeviation / fan_in : 1};
  const bool scored = ends_with(weight.role, "q_proj.weight") || ends_with(weight.role, "k_proj.weight");
  return {0, (scored ? kScoreGain : 1) / fan_in};
}

std::optional<Dtype> dtype_of(const std::string& stored) {
  if (stored == "F32") return Dtype::f32;
  if (stored == "BF16") return Dtype::bf16;
  if (stored == "F16") return Dtype::f16;
  return std::nullopt;
}

}  // namespace

const std::vector<double>& ModelWeights::at(const std::string& name) const {
  const auto found = tensors.find(name);
  if (found == tensors.end()) throw Error::model("the weights have no '" + name + "'");
  return found->second;
}

ModelWeights seeded_weights(const model::ModelSpec& spec, std::uint64_t seed) {
  ModelWeights weights;
  for (const model::WeightTensor& weight : model::all_weights(spec, Dtype::bf16)) {
    const Distribution its = distribution_of(spec, weight);
    const double reach = std::sqrt(3.0) * its.deviation;  // of a uniform distribution with this deviation
    seed += kStride;
    std::vector<double> values =
        data::random_uniform(seed, static_cast<std::size_t>(weight.elements()), its.mean - reach, its.mean + reach);
    weights.tensors[weight.name()] = sw::HostArray::from_doubles({weight.elements()}, Dtype::bf16, values).to_doubles();
  }
  return weights;
}

ModelWeights stored_weights(const model::ModelSpec& spec, const std::string& file, std::vector<Diagnostic>& warnings) {
  if (std::filesystem::path(file).extension() == ".json") {
    throw Error(
        {Diagnostic{file, 0, 0, "", "is an index and has no contents", "give one .safetensors file with all tensors"}});
  }
  const model::StoredTensors stored = model::read_stored_tensors(file);
  for (Diagnostic& warning : model::check_stored_tensors(spec, stored, file)) warnings.push_back(std::move(warning));
  ModelWeights weights;
  std::vector<Diagnostic> problems;
  for (const model::WeightTensor& weight : model::all_weights(spec, Dtype::bf16)) {
    const model::StoredTensor& tensor = stored.at(weight.name());
    const std::optional<Dtype> dtype = dtype_of(tensor.dtype);
    if (!dtype) {
      problems.push_back(
          {file, 0, 0, weight.name(), fmt::format("is stored as '{}'", tensor.dtype), "known: F32, BF16, F16"});
      continue;
    }
    if (tensor.end - tensor.begin != storage_bytes(*dtype, weight.elements())) {
      problems.push_back({file, 0, 0, weight.name(),
                          fmt::format("has {} bytes, but its shape calls for {}", tensor.end - tensor.begin,
                                      storage_bytes(*dtype, weight.elements())),
                          "the file is damaged; get it again"});
      continue;
    }
    weights.tensors[weight.name()] =
        sw::HostArray({weight.elements()}, *dtype, model::stored_bytes(file, weight.name(), tensor)).to_doubles();
  }
  if (!problems.empty()) throw Error(std::move(problems));
  return weights;
}

}  // namespace kb::verify
