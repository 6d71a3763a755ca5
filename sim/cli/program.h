// Common part of the `kernbench` executable and the `sim_<name>` executables.
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
class App;  // forward-declared, because each sim_<name> includes this header and compiling CLI11 takes seconds
}

namespace kb::cli {

class FileRoles;

struct Program {
  std::string name;              // name of the executable, for messages
  BuiltinTopology topology;      // default of --topology
  std::string default_workload;  // workload of `run` without --bench
  bool fixed_topology = false;   // true for sim_<name>, which has no --topology
};

// Implements main(): enters sc_main without SystemC's start-up banner.
int start_systemc_main(int argc, char** argv);

// Runs `kernbench COMMAND ...`; returns its exit code (H-83). Never throws.
int run_kernbench(int argc, char** argv, const Program& program);
// Runs `sim_<name> ...`: the options of `kernbench run` on the built-in topology.
int run_simulation(int argc, char** argv, const Program& program);

// One subcommand. Commands are added to the CLI11 application and run after parsing.
class Command {
 public:
  virtual ~Command() = default;
  virtual int run() = 0;  // exit code; errors are thrown as kb::Error
  // Help on other things that the command line names, in addition to the options.
  virtual std::string help() const { return ""; }
};

// The topology of a command: a file or the built-in one, with --set overrides.
struct TopologyChoice {
  const Program* program = nullptr;
  std::string file;
  std::vector<std::string> sets;  // "key.path=value"

  void add_file_option(CLI::App& app);
  void add_set_option(CLI::App& app);
  // Loads the topology. Configuration Error with all problems of the file; usage Error for a malformed --set.
  // `implementations` are those of plug-ins.
  topology::LoadedTopology load(const topology::Implementations& implementations = topology::builtin_only()) const;
  // The path of the file; an installed machine may be named without its folder. Configuration Error with the nearest
  // name.
  std::string path() const;
  // Adds the files from which the machine was loaded.
  void add_roles(const topology::LoadedTopology& machine, FileRoles& roles) const;
};

// Splits "name=value"; usage Error without '=' or name.
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
std::unique_ptr<Command> make_model_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_schema_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_report_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_serve_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_sweep_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_traffic_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_web_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_why_command(CLI::App& app, const Program& program);

// Runs a step that needs much memory; the configuration Error for a failed allocation names the step.
template <typename Body>
auto within_memory(const char* step, Body body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    throw Error::configuration(std::string("there is not enough memory for ") + step +
                               "; free some, or raise the limit (ulimit -v)");
  }
}

// Collects the problems of one step in a user's input, so that the next steps can report theirs as well.
template <typename Body>
void collect_problems(std::vector<Diagnostic>& problems, Body body) {
  try {
    body();
  } catch (const Error& error) {
    if (error.diagnostics().empty()) throw;
    problems.insert(problems.end(), error.diagnostics().begin(), error.diagnostics().end());
  }
}

// Prints warnings about input files to stderr.
void print_warnings(const std::vector<Diagnostic>& warnings);

// Prints to stdout; a full disk or a closed pipe is a configuration Error.
void print(const std::string& text);
// print() for text output: escapes control characters in user-defined names.
void print_text(const std::string& text);
// Prints one line of text to stderr.
void print_note(const std::string& text);

}  // namespace kb::cli
