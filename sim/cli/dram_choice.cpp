#include "sim/cli/dram_choice.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "platform/params/hbm_banked_params.h"
#include "sim/cli/arguments.h"
#include "sim/cli/file_roles.h"
#include "sim/cli/program.h"

namespace kb::cli {

void DramChoice::add_options(CLI::App& app) {
  app.add_option("--dram-trace", name_, "Write every command of memories with banks to FILE (.gz: packed)")
      ->type_name("FILE");
}

void DramChoice::add_roles(FileRoles& roles) const {
  roles.writes("--dram-trace", name_);
}

void DramChoice::open(const topology::Graph& graph, observe::OutputSet& outputs) {
  if (name_.empty()) return;
  const bool any = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                               [](const topology::Node& node) { return node.impl == params::kHbmBanked; });
  if (!any) {
    throw usage_error(std::string("--dram-trace needs a memory with banks: --set cube.components.hbm_ctrl.impl=") +
                      params::kHbmBanked);
  }
  text_ = std::make_unique<observe::PackedOutput>(outputs.add(name_, "the trace of memory commands"));
  traces_ = std::make_unique<dram::CommandTraces>(*text_);
}

void DramChoice::finish() {
  if (text_ != nullptr) text_->finish();
}

void DramChoice::add_files(std::vector<std::pair<std::string, std::string>>& list) const {
  if (!name_.empty()) list.emplace_back("dram trace", name_);
}

}  // namespace kb::cli
