// What a stage of a model needs of the HBM of its SIPs, and where every tensor lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/model/arena.h"
#include "platform/model/graph.h"

namespace kb::model {

// A tensor that needs a place in all slices.
struct PlacedTensor {
  std::string role;         // equal in all layers
  std::int64_t layer = -1;  // -1: belongs to no layer
  std::uint64_t part = 0;   // bytes in each slice, a multiple of period()
  bool stays = false;       // weights and caches: has room of its own
  // Steps between which an activation is needed; its room is free before and after.
  std::size_t first_use = 0, last_use = 0;
};

struct PlacedTensors {
  std::vector<std::uint64_t> offsets;  // in every slice
  std::int64_t classes = 1;            // of the layers' addresses (plan_arena)
  std::uint64_t end = 0;               // bytes that are taken of each slice
  std::uint64_t activations = 0;       // those of activations among them
};
// Activations lie behind the others, each in the lowest room that is free, or that of its role in the layer before.
PlacedTensors place_tensors(const std::vector<PlacedTensor>& tensors, const ArenaGeometry& geometry);

struct MemoryPlan {
  ArenaGeometry geometry;
  // Offset of each tensor of the graph in every slice, and the bytes that it takes there. Activations share room: a
  // tensor's is free again after the last operation that reads it.
  std::vector<std::uint64_t> offsets, parts;
  std::int64_t classes = 1;  // of the layers' addresses (plan_arena)
  std::uint64_t slice_bytes_taken = 0;

  // Bytes of one SIP: what the tensors have, and what they take with rounding and gaps.
  std::uint64_t weight_bytes = 0, cache_bytes = 0, activation_bytes = 0;
  std::uint64_t taken() const { return slice_bytes_taken * static_cast<std::uint64_t>(geometry.pes); }
  std::uint64_t there() const { return geometry.slice_bytes * static_cast<std::uint64_t>(geometry.pes); }
  bool fits() const { return slice_bytes_taken <= geometry.slice_bytes; }
};

MemoryPlan plan_memory(const Graph& graph, const ArenaGeometry& geometry);

// Bytes that one more token of a sequence takes in the caches of a SIP of this stage; windows are not looked at.
std::uint64_t cache_bytes_per_token(const ModelSpec& spec, const ParallelPlan& plan, Dtype dtype,
                                    const LayerRange& layers);
// The same of the whole model: "128 KiB per token".
std::uint64_t cache_bytes_per_token(const ModelSpec& spec, Dtype dtype);

// The smallest tp that divides the model and with which every stage fits; no value when there is none on a tray.
std::optional<std::int64_t> smallest_tp(const ModelSpec& spec, ParallelPlan plan, const Batch& batch, Dtype dtype,
                                        const ArenaGeometry& geometry);

}  // namespace kb::model
