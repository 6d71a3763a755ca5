#include "sw/model/place_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "platform/base/error.h"
#include "platform/model/memory_plan.h"

namespace kb::sw {
namespace {

// Roles and lives of all tensors, in launches.
std::vector<model::PlacedTensor> lives(const Program& program) {
  std::vector<model::PlacedTensor> tensors;
  for (const ProgramTensor& one : program.tensors) {
    tensors.push_back({one.role, one.layer, one.part, one.stays, program.launches.size(), 0});
  }
  for (std::size_t at = 0; at < program.launches.size(); ++at) {
    for (const ProgramArg& arg : program.launches[at].args) {
      const auto* const ref = std::get_if<TensorRef>(&arg.value);
      if (ref == nullptr) continue;
      model::PlacedTensor& used = tensors[program.tensors[ref->index].same_place.value_or(ref->index)];
      used.first_use = std::min(used.first_use, at);
      used.last_use = std::max(used.last_use, at);
    }
  }
  // The host reads these after the last launch.
  for (const std::size_t index : {program.best, program.best_logit, program.logits}) {
    tensors[index].last_use = program.launches.size();
  }
  return tensors;
}

const ProgramTensor& same_tensor(const Program& resident, const ProgramTensor& tensor) {
  for (const ProgramTensor& one : resident.tensors) {
    if (one.name == tensor.name && one.shape == tensor.shape) return one;
  }
  throw Error::model(fmt::format("the resident program has no '{}' of {}", tensor.name, format_shape(tensor.shape)));
}

}  // namespace

void place_program(Program& program, const model::ArenaGeometry& geometry, const Program* resident) {
  const std::vector<model::PlacedTensor> all = lives(program);
  std::vector<model::PlacedTensor> placed;
  std::vector<std::size_t> index;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (program.tensors[i].same_place) continue;
    if (resident != nullptr && program.tensors[i].persists()) {
      program.tensors[i].offset = same_tensor(*resident, program.tensors[i]).offset;
      continue;
    }
    placed.push_back(all[i]);
    index.push_back(i);
  }
  const model::PlacedTensors where = model::place_tensors(placed, geometry);
  const std::uint64_t begin = resident == nullptr ? 0 : resident->slice_bytes;
  for (std::size_t i = 0; i < index.size(); ++i) program.tensors[index[i]].offset = begin + where.offsets[i];
  for (ProgramTensor& tensor : program.tensors) {
    if (tensor.same_place) tensor.offset = program.tensors[*tensor.same_place].offset;
  }
  program.classes = where.classes;
  program.slice_bytes = begin + where.end;
}

}  // namespace kb::sw
