#include "sim/analysis/energy/statistic_table.h"

namespace kb::sim {

std::uint64_t StatisticTable::at(NodeId node, std::string_view name) const {
  const auto found = values_.find({node, std::string(name)});
  return found == values_.end() ? 0 : found->second;
}

bool StatisticTable::has(NodeId node, std::string_view name) const {
  return values_.count({node, std::string(name)}) != 0;
}

}  // namespace kb::sim
