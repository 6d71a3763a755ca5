#include "sw/runtime/mapping_plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "platform/address/address_space.h"
#include "platform/contract/tensor_layout.h"

namespace kb::sw {
namespace {

using contract::MapRequest;
using contract::Shard;
using contract::TensorLayout;
// Shards by offset, ascending; for shards that share memory (in SRAM), only the first one.
using Copies = std::map<std::uint64_t, std::vector<std::size_t>>;
using View = std::vector<std::size_t>;  // one copy of each range

std::vector<CubeId> holding_cubes(const TensorLayout& tensor) {
  std::set<CubeId> cubes;
  for (const Shard& shard : tensor.shards) cubes.insert(shard.owner.cube);
  return {cubes.begin(), cubes.end()};
}

std::vector<CubeId> all_cubes(const contract::MachineInfo& machine) {
  std::vector<CubeId> cubes;
  for (int cube = 0; cube < machine.cubes_per_sip; ++cube) cubes.emplace_back(static_cast<std::uint32_t>(cube));
  return cubes;
}

Copies copies_of(const TensorLayout& tensor) {
  Copies copies;
  std::set<std::uint64_t> seen;
  for (std::size_t i = 0; i < tensor.shards.size(); ++i) {
    if (tensor.memory == MemoryKind::sram && !seen.insert(tensor.shards[i].pa).second) continue;
    copies[tensor.shards[i].offset_bytes].push_back(i);
  }
  return copies;
}

bool has_copies(const Copies& copies) {
  return std::any_of(copies.begin(), copies.end(), [](const auto& range) { return range.second.size() > 1; });
}

View view_of(const TensorLayout& tensor, const Copies& copies, const PeCoord& pe) {
  View view;
  view.reserve(copies.size());
  const auto distance = [&](std::size_t shard) {
    const PeCoord& owner = tensor.shards[shard].owner;
    if (owner == pe) return 0;
    return owner.cube == pe.cube ? 1 : 2;
  };
  for (const auto& [offset, shards] : copies) {
    view.push_back(*std::min_element(shards.begin(), shards.end(), [&](std::size_t a, std::size_t b) {
      return distance(a) < distance(b);  // the first of the nearest ones
    }));
  }
  return view;
}

MapRequest request_for(const std::shared_ptr<const TensorLayout>& tensor, SipId sip,
                       const contract::MachineInfo& machine) {
  MapRequest request;
  request.tensor = tensor;
  request.sip = sip;
  request.page_size = machine.page_size;
  return request;
}

std::vector<MapRequest::Entry> entries_of(const TensorLayout& tensor, const View& view) {
  const std::uint64_t base = address::value_of(*tensor.va_base);
  std::vector<MapRequest::Entry> entries;
  entries.reserve(view.size());
  for (const std::size_t index : view) {
    const Shard& shard = tensor.shards[index];
    entries.push_back({base + shard.offset_bytes, shard.pa, shard.nbytes});
  }
  return entries;
}

}  // namespace

std::vector<MapRequest> plan_mapping(const std::shared_ptr<const TensorLayout>& tensor, Split cube_split,
                                     const contract::MachineInfo& machine) {
  const Copies copies = copies_of(*tensor);
  MapRequest request = request_for(tensor, tensor->shards.front().owner.sip, machine);
  const bool every_cube = cube_split != Split::replicate;
  if (every_cube && !has_copies(copies)) return {plan_remote_mapping(tensor, request.sip, machine)};

  // Views in the order of discovery, each with the PEs of every cube that use it.
  std::map<View, std::size_t> known;
  std::vector<std::pair<const View*, std::map<CubeId, std::vector<PeId>>>> views;
  for (const CubeId cube : every_cube ? all_cubes(machine) : holding_cubes(*tensor)) {
    for (int index = 0; index < machine.pes_per_cube; ++index) {
      const PeId pe(static_cast<std::uint32_t>(index));
      const auto [view, added] = known.emplace(view_of(*tensor, copies, {request.sip, cube, pe}), views.size());
      if (added) views.push_back({&view->first, {}});
      views[view->second].second[cube].push_back(pe);
    }
  }
  std::vector<MapRequest> requests;
  for (const auto& [view, pes_by_cube] : views) {
    std::map<std::vector<PeId>, std::vector<CubeId>> cubes_by_pes;
    for (const auto& [cube, pes] : pes_by_cube) cubes_by_pes[pes].push_back(cube);
    request.entries = entries_of(*tensor, *view);
    for (const auto& [pes, cubes] : cubes_by_pes) {
      request.cubes = cubes;
      request.pes = pes;
      requests.push_back(request);
    }
  }
  return requests;
}

MapRequest plan_remote_mapping(const std::shared_ptr<const TensorLayout>& tensor, SipId sip,
                               const contract::MachineInfo& machine) {
  MapRequest request = request_for(tensor, sip, machine);
  View first;
  for (const auto& [offset, shards] : copies_of(*tensor)) first.push_back(shards.front());
  request.entries = entries_of(*tensor, first);
  return request;
}

MapRequest plan_unmapping(const std::shared_ptr<const TensorLayout>& tensor, Split cube_split, SipId sip,
                          const contract::MachineInfo& machine) {
  MapRequest request = request_for(tensor, sip, machine);
  request.unmap = true;
  if (cube_split == Split::replicate) request.cubes = holding_cubes(*tensor);
  request.entries = {{address::value_of(*tensor->va_base), 0, tensor->nbytes}};
  return request;
}

}  // namespace kb::sw
