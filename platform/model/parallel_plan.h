// How a model is divided over SIPs.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/model/model_spec.h"

namespace kb::model {

inline constexpr std::int64_t kMostSips = 16;  // of a tray: an address has four bits for the SIP

// tp SIPs share each layer, pp groups of them have consecutive layers, and dp copies of all that serve batches of their
// own. Experts lie on the tp x dp SIPs of a stage: ep parts of whole experts, each divided by columns over the rest.
struct ParallelPlan {
  std::int64_t tp = 1, pp = 1, ep = 1, dp = 1;

  std::int64_t sips() const { return tp * pp * dp; }
  std::int64_t expert_group() const { return tp * dp; }               // SIPs with the experts of a layer
  std::int64_t expert_shards() const { return expert_group() / ep; }  // SIPs that share one expert
};

// Configuration Error with every number of the plan that the model cannot be divided by, and the nearest that it can.
void check_plan(const ModelSpec& spec, const ParallelPlan& plan);
// Whether check_plan() accepts it.
bool divides(const ModelSpec& spec, const ParallelPlan& plan);

// Layers [begin, end) of each stage: as equal as possible; where they are not, the stages before the last one have one
// more, because the last has the head (as vLLM divides).
struct LayerRange {
  std::int64_t begin = 0, end = 0;
};
std::vector<LayerRange> stages(std::int64_t layers, std::int64_t pp);

// K/V heads of one SIP: with more SIPs than heads, each head lies on several (as Megatron and vLLM do).
std::int64_t local_kv_heads(const ModelSpec& spec, std::int64_t tp);

}  // namespace kb::model
