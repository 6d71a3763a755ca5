#include "sim/analysis/findings/block_counts.h"

namespace kb::sim {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

void BlockCounts::add(NodeId node, std::string_view statistic, std::int64_t value) {
  const bool headers = ends_with(statistic, ".messages"), kernels = statistic == "kernel_time",
             scalar = statistic == "scalar_time";
  if (!headers && !kernels && !scalar && statistic != "reads" && statistic != "writes") return;
  if (node.value >= of_node.size()) of_node.resize(node.value + 1);
  Counts& counts = of_node[node.value];
  if (kernels) {
    counts.kernels += TimeFs(value);
  } else if (scalar) {
    counts.scalar += TimeFs(value);
  } else {
    (headers ? counts.headers : statistic == "reads" ? counts.reads : counts.writes) += value;
  }
}

}  // namespace kb::sim
