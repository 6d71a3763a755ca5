#include "platform/model/memory_plan.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace kb::model {
namespace {

bool stays(const GraphTensor& tensor) {
  return tensor.kind == TensorKind::weight || tensor.kind == TensorKind::cache;
}

// Gives every activation room that is free for its life, in the order of their first operations: where the activation
// of that role lay in the layer before, otherwise the lowest. So layers get equal offsets from the second on.
class ActivationRoom {
 public:
  std::uint64_t place(const PlacedTensor& tensor) {
    const auto ended = [&tensor](const Taken& taken) { return taken.last_use < tensor.first_use; };
    taken_.erase(std::remove_if(taken_.begin(), taken_.end(), ended), taken_.end());
    const auto known = last_of_role_.find(tensor.role);
    const bool same = known != last_of_role_.end() && is_free(known->second, tensor.part);
    const std::uint64_t offset = same ? known->second : lowest(tensor.part);
    last_of_role_[tensor.role] = offset;
    taken_.push_back({tensor.last_use, offset, tensor.part});
    most_ = std::max(most_, offset + tensor.part);
    return offset;
  }
  std::uint64_t most() const { return most_; }

 private:
  struct Taken {
    std::size_t last_use;
    std::uint64_t offset, part;
  };
  bool is_free(std::uint64_t offset, std::uint64_t part) const {
    return std::none_of(taken_.begin(), taken_.end(), [&](const Taken& taken) {
      return offset < taken.offset + taken.part && taken.offset < offset + part;
    });
  }
  std::uint64_t lowest(std::uint64_t part) {
    std::sort(taken_.begin(), taken_.end(), [](const Taken& a, const Taken& b) { return a.offset < b.offset; });
    std::uint64_t offset = 0;
    for (const Taken& taken : taken_) {
      if (offset + part <= taken.offset) break;
      offset = std::max(offset, taken.offset + taken.part);
    }
    return offset;
  }

  std::vector<Taken> taken_;
  std::map<std::string, std::uint64_t> last_of_role_;
  std::uint64_t most_ = 0;
};

void place_activations(const std::vector<PlacedTensor>& tensors, PlacedTensors& placed) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].stays) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&tensors](std::size_t a, std::size_t b) { return tensors[a].first_use < tensors[b].first_use; });
  ActivationRoom room;
  for (const std::size_t i : order) placed.offsets[i] = placed.end + room.place(tensors[i]);
  placed.activations = room.most();
  placed.end += room.most();
}

// Uses of the graph's tensors, by the number of the operation.
void set_uses(const Graph& graph, std::vector<PlacedTensor>& tensors) {
  for (PlacedTensor& tensor : tensors) tensor.first_use = graph.ops.size();
  for (std::size_t at = 0; at < graph.ops.size(); ++at) {
    for (const std::vector<std::size_t>* list : {&graph.ops[at].inputs, &graph.ops[at].outputs}) {
      for (const std::size_t tensor : *list) {
        tensors[tensor].first_use = std::min(tensors[tensor].first_use, at);
        tensors[tensor].last_use = std::max(tensors[tensor].last_use, at);
      }
    }
  }
}

}  // namespace

PlacedTensors place_tensors(const std::vector<PlacedTensor>& tensors, const ArenaGeometry& geometry) {
  PlacedTensors placed;
  placed.offsets.resize(tensors.size());
  std::vector<ArenaTensor> kept;
  std::vector<std::size_t> index;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].stays) continue;
    kept.push_back({tensors[i].role, tensors[i].layer, tensors[i].part});
    index.push_back(i);
  }
  const ArenaPlan arena = plan_arena(kept, geometry);
  for (std::size_t i = 0; i < kept.size(); ++i) placed.offsets[index[i]] = arena.offsets[i];
  placed.classes = arena.classes;
  placed.end = arena.end;
  place_activations(tensors, placed);
  return placed;
}

MemoryPlan plan_memory(const Graph& graph, const ArenaGeometry& geometry) {
  MemoryPlan plan;
  plan.geometry = geometry;
  std::vector<PlacedTensor> tensors;
  for (const GraphTensor& tensor : graph.tensors) {
    plan.parts.push_back(geometry.part_of(tensor.bytes));
    if (tensor.kind == TensorKind::weight) plan.weight_bytes += tensor.bytes;
    if (tensor.kind == TensorKind::cache) plan.cache_bytes += tensor.bytes;
    tensors.push_back({tensor.role, tensor.layer, plan.parts.back(), stays(tensor), 0, 0});
  }
  set_uses(graph, tensors);
  PlacedTensors placed = place_tensors(tensors, geometry);
  plan.offsets = std::move(placed.offsets);
  plan.classes = placed.classes;
  plan.slice_bytes_taken = placed.end;
  plan.activation_bytes = placed.activations * static_cast<std::uint64_t>(geometry.pes);
  return plan;
}

std::uint64_t cache_bytes_per_token(const ModelSpec& spec, const ParallelPlan& plan, Dtype dtype,
                                    const LayerRange& layers) {
  const std::int64_t elements = spec.mla ? spec.cache_elements() : 2 * local_kv_heads(spec, plan.tp) * spec.head_dim;
  return static_cast<std::uint64_t>((layers.end - layers.begin) * elements) * item_size(dtype);
}

std::uint64_t cache_bytes_per_token(const ModelSpec& spec, Dtype dtype) {
  return static_cast<std::uint64_t>(spec.layer_count() * spec.cache_elements()) * item_size(dtype);
}

std::optional<std::int64_t> smallest_tp(const ModelSpec& spec, ParallelPlan plan, const Batch& batch, Dtype dtype,
                                        const ArenaGeometry& geometry) {
  for (plan.tp = 1; plan.sips() <= kMostSips; ++plan.tp) {
    if (!divides(spec, plan)) continue;
    bool fits = true;
    for (std::int64_t stage = 0; stage < plan.pp && fits; ++stage) {
      fits = plan_memory(build_graph(spec, plan, batch, dtype, stage), geometry).fits();
    }
    if (fits) return plan.tp;
  }
  return std::nullopt;
}

}  // namespace kb::model
