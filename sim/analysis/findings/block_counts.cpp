#include "sim/analysis/findings/block_counts.h"

namespace kb::sim {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

bool BlockCounts::add(NodeId node, std::string_view statistic, std::int64_t value) {
  const bool headers = ends_with(statistic, ".messages"),
             requests = statistic == "read_requests" || statistic == "reads";
  if (!headers && !requests) return false;
  if (node.value >= of_node.size()) of_node.resize(node.value + 1);
  (headers ? of_node[node.value].headers : of_node[node.value].requests) += value;
  return true;
}

}  // namespace kb::sim
