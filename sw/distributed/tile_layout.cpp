#include "sw/distributed/tile_layout.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>

#include "platform/base/names.h"

namespace kb::sw {
namespace {

std::string remedy(const TileRule& rule) {
  if (rule.any)
    return "split it over the PEs of a cube (pe = row_wise or column_wise), or leave it to one (num_pes = 1)";
  const char* const one = "put all of it on PE 0 of one cube (num_cubes = num_pes = 1)";
  if (!rule.all) return one;
  const std::string all = rule.owners == TileOwners::pes
                              ? "give it one row per PE, DPPolicy{cube = row_wise, pe = row_wise}"
                              : "give it one row per cube, DPPolicy{cube = row_wise, num_pes = 1}";
  return rule.one ? all + ", or " + one : all;
}

using TilesByCube = std::map<CubeId, std::map<std::uint64_t, const ShardSpec*>>;  // shards by offset

// The shards of each cube without duplicates; parts of one tile have different offsets.
TilesByCube tiles_by_cube(const Tensor& tensor, const TileRule& rule) {
  TilesByCube cubes;
  for (const ShardSpec& shard : tensor.placement()) {
    auto& parts = cubes[shard.owner.cube];
    if (rule.owners == TileOwners::cubes && !rule.spread && shard.owner.pe.value != 0) {
      throw layout_error(tensor, fmt::format("{} holds a part of it; {}", pe_name(shard.owner), remedy(rule)));
    }
    const bool fresh = parts.emplace(shard.offset_bytes, &shard).second;
    if (rule.spread && !fresh) {
      throw layout_error(tensor, fmt::format("{} holds a copy of what another PE of its cube holds; {}",
                                             pe_name(shard.owner), remedy(rule)));
    }
  }
  return cubes;
}

}  // namespace

Error layout_error(const Tensor& tensor, const std::string& text) {
  return Error::program("LAYOUT_ERROR", fmt::format("tensor '{}' {} {}: {}", tensor.name(), dtype_name(tensor.dtype()),
                                                    format_shape(tensor.shape()), text));
}

TileLayout tile_layout(const Tensor& tensor, const contract::MachineInfo& machine, const TileRule& rule,
                       const std::string& what) {
  if (!tensor.deployed()) {
    throw Error::program("TENSOR_ERROR", what + " needs a tensor on the device; make it with empty() or zeros()");
  }
  const std::vector<ShardSpec>& shards = tensor.placement();
  const TilesByCube cubes = tiles_by_cube(tensor, rule);
  for (const ShardSpec& shard : shards) {
    if (shard.nbytes != shards.front().nbytes) throw layout_error(tensor, "its tiles differ in size");
  }
  TileLayout layout;
  layout.sip = static_cast<int>(shards.front().owner.sip.value);
  layout.tiles = static_cast<int>(rule.spread ? cubes.size() : shards.size());
  layout.one_cube = shards.size() == 1 && shards.front().owner.pe.value == 0;
  const std::size_t parts = rule.spread ? cubes.begin()->second.size() : 1;
  layout.n_elem = static_cast<std::int64_t>(parts * shards.front().nbytes / item_size(tensor.dtype()));
  for (const auto& [cube, tile] : cubes) layout.cubes.push_back(static_cast<int>(cube.value));
  const int per_cube = rule.owners == TileOwners::pes ? machine.pes_per_cube : 1;
  const bool all = layout.tiles == machine.cubes_per_sip * per_cube;
  if (!rule.any && !(rule.one && layout.one_cube) && !(rule.all && all)) {
    throw layout_error(tensor, fmt::format("{} shards on {} of {} cubes; {}", layout.tiles, cubes.size(),
                                           machine.cubes_per_sip, remedy(rule)));
  }
  const DPPolicy& policy = tensor.policy();
  if (!rule.copies && layout.tiles > 1 &&
      ((policy.cube == Split::replicate && cubes.size() > 1) || (policy.pe == Split::replicate && per_cube > 1))) {
    throw layout_error(tensor, fmt::format("its tiles are copies of each other; {}", remedy(rule)));
  }
  return layout;
}

}  // namespace kb::sw
