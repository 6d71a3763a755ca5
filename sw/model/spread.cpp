#include "sw/model/spread.h"

#include <algorithm>

namespace kb::sw {

DPPolicy spread_policy(Spread spread) {
  DPPolicy policy;
  switch (spread) {
    case Spread::outputs:
      policy.cube = Split::row_wise, policy.pe = Split::column_wise;
      break;
    case Spread::tile:
      policy.cube = Split::column_wise, policy.pe = Split::row_wise;
      break;
    case Spread::copy:
      policy.pe = Split::column_wise;
      break;
    case Spread::rows:
      policy.cube = policy.pe = Split::row_wise;
      break;
    case Spread::heads:
      policy.pe = Split::row_wise;
      break;
    case Spread::whole:
      break;
    case Spread::one:
      policy.num_cubes = policy.num_pes = 1;
      break;
  }
  return policy;
}

std::uint64_t spread_bytes(Spread spread, const Shape& shape, Dtype dtype, std::int64_t cubes, std::int64_t pes) {
  const DPPolicy policy = spread_policy(spread);
  const EffectiveCounts counts = effective_counts(policy, static_cast<int>(cubes), static_cast<int>(pes));
  std::uint64_t most = 0;
  for (const ShardSpec& shard : resolve_dp_policy(policy, shape, dtype, counts, SipId(0), "")) {
    most = std::max(most, shard.nbytes);
  }
  return most;
}

}  // namespace kb::sw
