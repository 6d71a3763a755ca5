#include "platform/plan/tile_capacity.h"

#include <fmt/format.h>

#include "platform/plan/pipeline_plan.h"

namespace kb::plan {

std::optional<CapacityError> misfit(const PipelinePlan& plan, Dtype acc, const TileCapacity& room) {
  const TileShape& shape = plan.tile_shape();
  const std::string tile = fmt::format("{} x {} x {}", shape.m, shape.k, shape.n);
  const std::uint64_t registers = 2 * plan.register_bytes(acc);
  if (registers > room.register_file_bytes) {
    return CapacityError{"OUT_OF_REGISTERS",
                         fmt::format("two tiles of {} need {} B of registers, there are {}; choose a smaller tile "
                                     "shape (tile_m, tile_k, tile_n of pe_scheduler when the call names none) "
                                     "or a larger register_file_kb of pe_fetch_store",
                                     tile, registers, room.register_file_bytes)};
  }
  const std::uint64_t operands = plan.epilogue_buffer_bytes();
  const std::uint64_t buffers = plan.input_buffer_bytes() + operands + plan.output_buffer_bytes();
  if (buffers > room.buffer_bytes) {
    const std::string parts =
        operands > 0 ? fmt::format(" ({} B of it for operands of epilogues)", operands) : std::string();
    return CapacityError{
        "OUT_OF_SCRATCH",
        fmt::format("a tile of {} needs {} B of TCM{}, {} B are reserved for tiles; choose a smaller tile shape "
                    "or a larger tcm_scheduler_reserved_bytes of the memory map",
                    tile, buffers, parts, room.buffer_bytes)};
  }
  return std::nullopt;
}

}  // namespace kb::plan
