#include "platform/model/graph.h"

#include <algorithm>
#include <array>

#include "platform/model/graph_builder.h"

namespace kb::model {

std::string_view op_kind_name(OpKind kind) {
  static constexpr std::array<std::string_view, kOpKinds> names = {
      "embed", "norm",    "linear",  "head_norm", "rope",       "append",     "attend",     "mla",  "swiglu",
      "route", "experts", "combine", "head",      "all_reduce", "all_gather", "all_to_all", "send", "receive"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view tensor_kind_name(TensorKind kind) {
  switch (kind) {
    case TensorKind::weight:
      return "weight";
    case TensorKind::activation:
      return "activation";
    case TensorKind::cache:
      return "cache";
    case TensorKind::index:
      return "index";
  }
  return "";
}

std::size_t Graph::index_of(std::string_view tensor) const {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [tensor](const GraphTensor& one) { return one.name == tensor; });
  return static_cast<std::size_t>(found - tensors.begin());
}

Graph build_graph(const ModelSpec& spec, const ParallelPlan& plan, const Batch& batch, Dtype dtype,
                  std::int64_t stage) {
  Graph graph;
  graph.stage = stage;
  graph.layers = stages(spec.layer_count(), plan.pp)[static_cast<std::size_t>(stage)];
  graph.dtype = dtype;
  GraphBuilder builder(spec, plan, batch, graph);
  if (stage == 0) {
    builder.embed();
  } else {
    builder.receive();
  }
  for (std::int64_t layer = graph.layers.begin; layer < graph.layers.end; ++layer) builder.layer(layer);
  if (stage == plan.pp - 1) {
    builder.head();
  } else {
    builder.send();
  }
  return graph;
}

}  // namespace kb::model
