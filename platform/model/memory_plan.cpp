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

// Operations between which an activation has to be kept.
struct Life {
  std::size_t first = 0, last = 0;
};

std::vector<Life> lives(const Graph& graph) {
  std::vector<Life> lives(graph.tensors.size(), {graph.ops.size(), 0});
  for (std::size_t at = 0; at < graph.ops.size(); ++at) {
    for (const std::vector<std::size_t>* list : {&graph.ops[at].inputs, &graph.ops[at].outputs}) {
      for (const std::size_t tensor : *list) {
        lives[tensor].first = std::min(lives[tensor].first, at);
        lives[tensor].last = std::max(lives[tensor].last, at);
      }
    }
  }
  return lives;
}

// Gives every activation room that is free for its life, in the order of their first operations: where the activation
// of that role lay in the layer before, otherwise the lowest. So layers get equal offsets from the second on.
class ActivationRoom {
 public:
  std::uint64_t place(const std::string& role, const Life& life, std::uint64_t part) {
    const auto ended = [&life](const Taken& taken) { return taken.life.last < life.first; };
    taken_.erase(std::remove_if(taken_.begin(), taken_.end(), ended), taken_.end());
    const auto known = last_of_role_.find(role);
    const bool same = known != last_of_role_.end() && is_free(known->second, part);
    const std::uint64_t offset = same ? known->second : lowest(part);
    last_of_role_[role] = offset;
    taken_.push_back({life, offset, part});
    most_ = std::max(most_, offset + part);
    return offset;
  }
  std::uint64_t most() const { return most_; }

 private:
  struct Taken {
    Life life;
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

void place_activations(const Graph& graph, MemoryPlan& plan) {
  const std::vector<Life> all = lives(graph);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    if (!stays(graph.tensors[i])) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&all](std::size_t a, std::size_t b) { return all[a].first < all[b].first; });
  ActivationRoom room;
  for (const std::size_t i : order) {
    plan.offsets[i] = plan.slice_bytes_taken + room.place(graph.tensors[i].role, all[i], plan.parts[i]);
  }
  plan.slice_bytes_taken += room.most();
  plan.activation_bytes = room.most() * static_cast<std::uint64_t>(plan.geometry.pes);
}

}  // namespace

MemoryPlan plan_memory(const Graph& graph, const ArenaGeometry& geometry) {
  MemoryPlan plan;
  plan.geometry = geometry;
  plan.offsets.resize(graph.tensors.size());
  std::vector<ArenaTensor> kept;
  std::vector<std::size_t> index;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const GraphTensor& tensor = graph.tensors[i];
    plan.parts.push_back(geometry.part_of(tensor.bytes));
    if (tensor.kind == TensorKind::weight) plan.weight_bytes += tensor.bytes;
    if (tensor.kind == TensorKind::cache) plan.cache_bytes += tensor.bytes;
    if (!stays(tensor)) continue;
    kept.push_back({tensor.role, tensor.layer, plan.parts.back()});
    index.push_back(i);
  }
  const ArenaPlan arena = plan_arena(kept, geometry);
  for (std::size_t i = 0; i < kept.size(); ++i) plan.offsets[index[i]] = arena.offsets[i];
  plan.classes = arena.classes;
  plan.slice_bytes_taken = arena.end;
  place_activations(graph, plan);
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
