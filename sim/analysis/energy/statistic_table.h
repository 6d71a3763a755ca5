// What the blocks of a run counted, by node and name. Energy asks for statistics by name, so that a block takes part by
// counting: no block knows of energy.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "platform/base/ids.h"

namespace kb::sim {

class StatisticTable {
 public:
  void add(NodeId node, const std::string& name, std::int64_t value) {
    values_[{node, name}] = static_cast<std::uint64_t>(value);
  }
  // 0 when the block does not have the statistic.
  std::uint64_t at(NodeId node, std::string_view name) const;
  bool has(NodeId node, std::string_view name) const;

 private:
  std::map<std::pair<NodeId, std::string>, std::uint64_t> values_;
};

}  // namespace kb::sim
