#include "sim/web/comparison_run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/analysis/compare/comparison.h"

namespace kb::web {
namespace {

using analysis::RunFolder;

std::string machine_text(const RunFolder& run) {
  const std::string file = run.topology_file().empty() ? "an unknown topology" : run.topology_file();
  if (run.machine() == nullptr) return file;
  const auto pes = run.machine()->kinds().find("pe_cpu");
  const std::int64_t count = pes == run.machine()->kinds().end() ? 0 : pes->second;
  return fmt::format("{} ({} {})", file, count, count == 1 ? "PE" : "PEs");
}

// Settings (`--set`) do not change the parts of the machine.
std::string difference_of_machines(const RunFolder& before, const RunFolder& after) {
  const bool other_file = before.topology_file() != after.topology_file();
  const bool both_known = before.machine() != nullptr && after.machine() != nullptr;
  const bool other_parts = both_known && before.machine()->kinds() != after.machine()->kinds();
  if (!other_file && !other_parts) return "";
  return fmt::format(
      "The two runs were made on different topologies: A on {}, B on {}. Times can be compared, places cannot; for "
      "a comparison by place run both on one.",
      machine_text(before), machine_text(after));
}

}  // namespace

ComparisonRun::ComparisonRun(const std::string& folder, const RunFolder& page, const std::string& page_folder)
    : run_(folder) {
  constexpr std::size_t kMaxBlocks = 200;
  other_machine_ = difference_of_machines(run_, page);
  sim::Comparison comparison = sim::compare_results(folder, page_folder);
  if (comparison.blocks.size() > kMaxBlocks) comparison.blocks.resize(kMaxBlocks);
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(sim::render_comparison_json(comparison));
  json["other_machine"] = other_machine_;
  comparison_ = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace kb::web
