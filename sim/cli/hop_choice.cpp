#include "sim/cli/hop_choice.h"

#include <CLI/CLI.hpp>

#include "sim/cli/arguments.h"
#include "sim/cli/file_roles.h"
#include "sim/cli/program.h"

namespace kb::cli {

void HopChoice::add_options(CLI::App& app) {
  app.add_option("--hops", name_, "Write every wire that a transaction passed, with its times, to FILE")
      ->type_name("FILE");
  app.add_option("--hops-of", initiators_, "Only transactions that begin at nodes that match; may be repeated")
      ->type_name("PATTERN")
      ->expected(1)
      ->take_all();
}

void HopChoice::add_roles(FileRoles& roles) const {
  roles.writes("--hops", name_);
}

void HopChoice::open(const topology::Graph& graph, observe::OutputSet& outputs) {
  if (name_.empty()) {
    if (!initiators_.empty()) throw usage_error("--hops-of needs --hops FILE");
    return;
  }
  sim::HopTrace::Options options;
  options.initiators = initiators_;
  trace_ = std::make_unique<sim::HopTrace>(graph, std::move(options));
  file_ = &outputs.add(name_, "the file of hops");
}

void HopChoice::write(std::vector<std::string>& warnings) const {
  if (trace_ == nullptr) return;
  trace_->write(*file_);
  if (const std::optional<std::string> warning = trace_->warning()) warnings.push_back(*warning);
}

void HopChoice::add_files(std::vector<std::pair<std::string, std::string>>& list) const {
  if (!name_.empty()) list.emplace_back("hops", name_);
}

}  // namespace kb::cli
