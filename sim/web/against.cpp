#include "sim/web/against.h"

#include "sim/compare/comparison.h"

namespace kb::web {

Against::Against(const std::string& folder, const std::string& run_folder) : run_(folder) {
  constexpr std::size_t kMostBlocks = 200;
  sim::Comparison comparison = sim::compare_results(folder, run_folder);
  if (comparison.blocks.size() > kMostBlocks) comparison.blocks.resize(kMostBlocks);
  comparison_ = sim::render_comparison_json(comparison);
}

}  // namespace kb::web
