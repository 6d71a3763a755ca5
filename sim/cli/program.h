// What the `kernbench` executable and the `sim_<name>` executables have in common.
#pragma once

#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/error.h"
#include "platform/topology/topology.h"
#include "sim/cli/builtin_topology.h"

namespace CLI {
class App;  // each sim_<name> includes this header and needs nothing of CLI11, which takes seconds to compile
}

namespace kb::cli {

class FileRoles;

struct Program {
  std::string name;              // of the executable, for messages
  BuiltinTopology topology;      // used when no --topology is given
  std::string default_workload;  // of `run` without --bench
  bool fixed_topology = false;   // a sim_<name>: there is no --topology
};

// What main() does: enters sc_main without SystemC's start-up banner.
int start_systemc_main(int argc, char** argv);

// `kernbench COMMAND ...`; returns its exit code (H-83). Never throws.
int run_kernbench(int argc, char** argv, const Program& program);
// `sim_<name> ...`: the options of `kernbench run` on the built-in topology.
int run_simulation(int argc, char** argv, const Program& program);

// One subcommand. Commands are added to the CLI11 application and run after parsing.
class Command {
 public:
  virtual ~Command() = default;
  virtual int run() = 0;  // exit code; errors are thrown as kb::Error
  // What --help says besides the options, about what else the command line names.
  virtual std::string help() const { return ""; }
};

// The topology a command works on: a file or the built-in one, with --set overrides.
struct TopologyChoice {
  const Program* program = nullptr;
  std::string file;
  std::vector<std::string> sets;  // "key.path=value"

  void add_file_option(CLI::App& app);
  void add_set_option(CLI::App& app);
  // Configuration Error with every problem of the file; usage Error for a malformed --set.
  // `implementations`: those that plug-ins bring.
  topology::LoadedTopology load(const topology::Implementations& implementations = topology::builtin_only()) const;
  // The file that `file` names: a shipped machine may be named without its folder. Configuration Error with the
  // nearest.
  std::string path() const;
  // The files that it was loaded from.
  void add_roles(const topology::LoadedTopology& machine, FileRoles& roles) const;
};

// "name=value" taken apart; usage Error without '=' or name.
std::pair<std::string, std::string> split_assignment(const std::string& text);
Error usage_error(const std::string& message);

std::unique_ptr<Command> make_run_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_list_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_probe_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_topology_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_check_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_compare_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_completion_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_convert_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_evaluate_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_schema_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_report_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_serve_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_sweep_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_traffic_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_web_command(CLI::App& app, const Program& program);

// Runs a step that takes memory; when there is not enough the configuration Error names the step.
template <typename Body>
auto within_memory(const char* step, Body body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    throw Error::configuration(std::string("there is not enough memory for ") + step +
                               "; free some, or raise the limit (ulimit -v)");
  }
}

// Keeps the problems that one step finds in a user's input, so that those of the next ones are found, too.
template <typename Body>
void collect_problems(std::vector<Diagnostic>& problems, Body body) {
  try {
    body();
  } catch (const Error& error) {
    if (error.diagnostics().empty()) throw;
    problems.insert(problems.end(), error.diagnostics().begin(), error.diagnostics().end());
  }
}

// Warnings about input files, to stderr.
void print_warnings(const std::vector<Diagnostic>& warnings);

// Writes to stdout and reports a full disk or closed pipe as a configuration Error.
void print(const std::string& text);
// print() for what people read: names of users cannot steer the terminal.
void print_text(const std::string& text);
// One line of what people read, to stderr.
void print_note(const std::string& text);

}  // namespace kb::cli
