#include "sim/analysis/findings/block_counts.h"

namespace kb::sim {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

void BlockCounts::add(NodeId node, std::string_view statistic, std::int64_t value) {
  const bool headers = ends_with(statistic, ".messages");
  if (!headers && statistic != "reads") return;
  if (node.value >= of_node.size()) of_node.resize(node.value + 1);
  (headers ? of_node[node.value].headers : of_node[node.value].reads) += value;
}

}  // namespace kb::sim
