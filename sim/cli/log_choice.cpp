#include "sim/cli/log_choice.h"

#include <CLI/CLI.hpp>

#include "sim/cli/file_roles.h"
#include "sim/cli/program.h"

namespace kb::cli {

void LogChoice::add_options(CLI::App& app) {
  add_log_option(app);
  app.add_option("--log-file", file_, "Write what --log prints to FILE")->type_name("FILE");
  app.add_flag("--progress", progress_, "Show how far the run is more often when standard error is not a terminal");
}

void LogChoice::add_log_option(CLI::App& app) {
  app.add_option("--log", texts_, "Print what the blocks that match do, on standard error; may be repeated")
      ->type_name("PATTERN[:LEVEL]")
      ->expected(1)
      ->take_all();
}

void LogChoice::add_roles(FileRoles& roles) const {
  roles.writes("--log-file", file_);
}

void LogChoice::check(const topology::Graph& graph) {
  if (texts_.empty() && !file_.empty()) throw usage_error("--log-file needs --log PATTERN, which says what to write");
  for (const std::string& text : texts_) requests_.push_back(observe::parse_log_request(text));
  std::vector<std::string> blocks;
  for (const topology::Node& node : graph.nodes) {
    if (node.kind != topology::NodeKind::host) blocks.push_back(node.id);
  }
  observe::check_log_requests(requests_, blocks);
}

std::unique_ptr<observe::EventLog> LogChoice::open(observe::OutputSet& outputs) const {
  if (requests_.empty()) return nullptr;
  observe::OutputFile* const file = file_.empty() ? nullptr : &outputs.add(file_, "the log file");
  return std::make_unique<observe::EventLog>(requests_, file);
}

sim::Progress LogChoice::progress(bool quiet) const {
  if (progress_ && quiet) throw usage_error("--progress and --quiet exclude each other; leave one out");
  if (progress_) return sim::Progress::wanted;
  const bool log_on_standard_error = !texts_.empty() && file_.empty();
  return quiet || log_on_standard_error ? sim::Progress::on_request : sim::Progress::automatic;
}

}  // namespace kb::cli
