#include "sim/study/cells/model_on_machine.h"

#include <fmt/format.h>

#include "platform/base/error.h"
#include "platform/base/size_text.h"
#include "platform/model/arena.h"
#include "platform/model/memory_plan.h"

namespace kb::cells {

profile::ServedModel served_model(const model::ModelSpec& spec, Dtype dtype) {
  profile::ServedModel served;
  served.type = spec.family;
  served.name = spec.name();
  served.hidden = spec.hidden;
  served.layers = spec.layer_count();
  served.heads = spec.heads;
  served.kv_heads = spec.kv_heads;
  served.head_dim = spec.head_dim;
  served.inner = spec.mlp_width;
  served.vocabulary = spec.vocabulary;
  served.max_positions = spec.max_positions > 0 ? spec.max_positions : INT64_MAX;
  served.tied_embeddings = spec.tied;
  served.element_bytes = served.kv_bytes = static_cast<std::int64_t>(item_size(dtype));
  return served;
}

std::int64_t blocks_with_room(const CellSetup& setup, std::int64_t max_tokens) {
  const model::ArenaGeometry geometry = model::arena_geometry(setup.machines.one.graph.spec);
  const sw::Program program = program_of(setup, {model::Phase::prefill, {{1, 0, max_tokens}}});
  std::uint64_t taken = program.slice_bytes, block = 0;  // bytes in a slice
  for (const sw::ProgramTensor& tensor : program.tensors) {
    if (!tensor.cache) continue;
    taken -= std::min(taken, tensor.part);
    block += static_cast<std::uint64_t>(element_count(tensor.shape) / tensor.shape[0]) * item_size(tensor.dtype);
  }
  const std::uint64_t room = geometry.slice_bytes > taken ? (geometry.slice_bytes - taken) / block : 0;
  if (room > 0) return static_cast<std::int64_t>(room) * geometry.pes;
  const std::optional<std::int64_t> tp =
      model::smallest_tp(setup.spec, setup.plan, {model::Phase::prefill, {{1, 0, max_tokens}}}, setup.dtype, geometry);
  const std::string larger = tp && *tp > setup.plan.tp ? fmt::format("use --tp {}", *tp) : "use a larger --tp";
  throw Error::configuration(fmt::format(
      "{} leaves no room for keys and values: weights and a step of {} tokens take {} of the {} of a PE's "
      "HBM; {}, a smaller --max-tokens, or a machine with more HBM",
      setup.spec.name(), max_tokens, size_text(taken), size_text(geometry.slice_bytes), tp ? larger : "use"));
}

}  // namespace kb::cells
