#include "sw/parallel/layouts.h"

#include <algorithm>

namespace kb::sw {
namespace {

std::int64_t largest_divisor(std::int64_t n, std::int64_t most) {
  std::int64_t divisor = std::min(n, most);
  while (n % divisor != 0) --divisor;
  return divisor;
}

DPPolicy split(Split how, const contract::MachineInfo& machine, std::int64_t n) {
  std::int64_t cubes = 1, pes = 1;
  for (std::int64_t c = 1; c <= machine.cubes_per_sip; ++c) {
    if (n % c != 0) continue;
    const std::int64_t p = largest_divisor(n / c, machine.pes_per_cube);
    if (c * p < cubes * pes) continue;  // for equal products, prefers more cubes
    cubes = c;
    pes = p;
  }
  DPPolicy policy;
  policy.cube = policy.pe = how;
  policy.num_cubes = static_cast<int>(cubes);
  policy.num_pes = static_cast<int>(pes);
  return policy;
}

}  // namespace

DPPolicy split_columns(const contract::MachineInfo& machine, std::int64_t columns) {
  return split(Split::column_wise, machine, columns);
}

DPPolicy split_rows(const contract::MachineInfo& machine, std::int64_t rows) {
  return split(Split::row_wise, machine, rows);
}

DPPolicy copy_per_cube(const contract::MachineInfo& machine, std::int64_t rows) {
  DPPolicy policy;
  policy.pe = Split::row_wise;
  policy.num_pes = static_cast<int>(largest_divisor(rows, machine.pes_per_cube));
  return policy;
}

bool has_whole_rows(const Tensor& tensor) {
  const std::int64_t columns = tensor.shape()[1];
  const auto& shards = tensor.placement();
  return std::all_of(shards.begin(), shards.end(), [&](const ShardSpec& shard) { return shard.cols == columns; });
}

}  // namespace kb::sw
