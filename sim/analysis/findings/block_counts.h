// What blocks counted in a run, for rules that need more than what launches used.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/units.h"

namespace kb::sim {

struct BlockCounts {
  struct Counts {
    std::int64_t headers = 0;              // that the block sent on
    std::int64_t reads = 0;                // that a memory served
    std::int64_t writes = 0;               // likewise
    TimeFs kernels = 0_fs, scalar = 0_fs;  // of a PE_CPU: in kernels, and for commands and cycles of them
  };
  std::vector<Counts> of_node;  // by node; empty: not counted

  // Adds a statistic of a block, when it is one of these counts.
  void add(NodeId node, std::string_view statistic, std::int64_t value);
  Counts at(NodeId node) const { return node.value < of_node.size() ? of_node[node.value] : Counts{}; }
};

}  // namespace kb::sim
