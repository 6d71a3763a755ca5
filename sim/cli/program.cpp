#include "sim/cli/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <system_error>
#include <systemc>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/base/printable.h"
#include "platform/base/problem_limit.h"
#include "platform/base/version.h"
#include "platform/observe/output_file.h"
#include "sim/cli/arguments.h"
#include "sim/cli/file_roles.h"
#include "sim/cli/help.h"
#include "sim/cli/shipped_machines.h"
#include "sim/run/driver/interrupt.h"

namespace kb::cli {
namespace {

using Factory = std::unique_ptr<Command> (*)(CLI::App&, const Program&);
struct Entry {
  const char* name;
  const char* summary;
  Factory make;
  bool writes_results = true;
};
constexpr Entry kCommands[] = {
    {"run", "Run a workload on a simulated machine and report times and data", make_run_command},
    {"why", "Measure what a run waits for: take the causes away, one by one", make_why_command},
    {"list", "List the workloads and kernels that can be run", make_list_command, false},
    {"probe", "Measure single transfers against the latency formula", make_probe_command},
    {"topology", "Show a compiled machine: summary, JSON or Graphviz", make_topology_command, false},
    {"check", "Check topology files and plug-ins without simulating", make_check_command, false},
    {"traffic", "Replay a file of raw memory transactions", make_traffic_command},
    {"compare", "Compare two runs: settings, launches, where the time went", make_compare_command},
    {"serve", "Be the machine of a simulation in another process", make_serve_command},
    {"web", "Look at runs, a sweep or a machine in the browser", make_web_command, false},
    {"report", "Write a run as one HTML file, to keep or to send", make_report_command},
    {"convert", "Convert a recorded run for another program: Perfetto", make_convert_command},
    {"sweep", "Run a workload or machine over many values: one row per point", make_sweep_command},
    {"model", "Whole language models: what they need and could reach, and how they serve requests", make_model_command},
    {"schema", "Print the JSON Schema of topology files, result.json, why.json or tornado.json", make_schema_command,
     false},
    {"completion", "Print what makes a shell complete commands, options and workloads", make_completion_command, false},
    {"evaluate", "Measure the machine over many runs: data files, figures, checks", make_evaluate_command},
};

std::string version_text() {
  return std::string("kernbench ") + kVersion + " (" + sc_core::sc_version() + ")\n";
}

// Tables of waits and errors of user code have several lines. An error in a command line or a file is printed on one
// line, regardless of the user's input, which may be a megabyte long.
std::string error_line(const std::string& program, const Error& error) {
  const std::string message = error.what();
  const bool lines = error.family() != ErrorFamily::configuration && message.find('\n') != std::string::npos;
  return program + ": error: " + (lines ? printable(message) : printable_line(message)) + "\n";
}

// The prefix of an error message, and whether the message says that results are missing.
struct Caller {
  std::string name;
  bool writes_results = true;
};

int report(const Caller& caller, const Error& error) {
  const std::string& program = caller.name;
  std::string text;
  if (error.diagnostics().empty()) {
    text = error_line(program, error);
  } else {
    for (const Diagnostic& diagnostic : error.diagnostics()) {
      // otherwise the position comes first, as in compilers
      if (diagnostic.file.empty()) text += program + ": error: ";
      text += printable_line(diagnostic.text()) + "\n";
    }
    const std::size_t count = error.diagnostics().size();
    const std::string number =
        count > kMaxProblems ? "more than " + std::to_string(kMaxProblems) : std::to_string(count);
    text += program + ": " + number + (count == 1 ? " problem" : " problems") + " found" +
            (caller.writes_results ? ", no results were written\n" : "\n");
  }
  if (error.code() == "USAGE_ERROR") text += "Try '" + program + " --help'.\n";
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
  return exit_code(error.family());
}

int run_guarded(const Caller& caller, const std::function<int()>& body) {
  try {
    return body();
  } catch (const Error& error) {
    return report(caller, error);
  } catch (const sc_core::sc_report& error) {
    return report(caller, Error::model(std::string("SystemC: ") + error.what()));
  } catch (const std::bad_alloc&) {
    return report(caller, Error::configuration("there is not enough memory for building and simulating the machine; "
                                               "use a smaller one, or raise the limit (ulimit -v)"));
  } catch (const std::system_error& error) {
    return report(caller,
                  Error::configuration(std::string("the system refuses what the simulation needs: ") + error.what()));
  } catch (const std::exception& error) {
    return report(caller, Error::model(std::string("unexpected failure: ") + error.what()));
  } catch (...) {
    return report(caller, Error::model("unexpected failure without a message"));
  }
}

int guarded(const Caller& caller, const std::function<int()>& body) {
  const int code = run_guarded(caller, body);
  sim::allow_exit();
  return code;
}

std::string unexpected(const std::string& argument) {
  return "unexpected argument '" + argument + "'";
}

// A value without an option is taken for the one option that the command requires.
std::string for_missing_option(const CLI::App& app, const std::string& value) {
  for (const CLI::Option* option : app.get_options()) {
    const bool missing = option->get_required() && option->count() == 0 && !option->get_positional();
    if (missing) return "; did you mean " + option->get_name() + " " + value + "?";
  }
  return "";
}

// "kernbench model" of `kernbench model show`.
std::string names_above(const CLI::App& app) {
  std::string names;
  for (const CLI::App* at = app.get_parent(); at != nullptr; at = at->get_parent()) {
    names = at->get_name() + (names.empty() ? "" : " ") + names;
  }
  return names;
}

// The subcommand of a command, which `args` begin with; no value when the command has none, or help is asked for.
std::optional<std::string> part_of(const CLI::App& command, const std::vector<std::string>& args) {
  std::vector<std::string> names;
  for (const CLI::App* const part : command.get_subcommands({})) names.push_back(part->get_name());
  if (names.empty()) return std::nullopt;
  if (args.empty()) throw usage_error("needs one of its commands; " + suggest("", names));
  if (args[0] == "--help" || args[0] == "-h") return std::nullopt;
  if (std::find(names.begin(), names.end(), args[0]) != names.end()) return args[0];
  throw usage_error("unknown command " + args[0] + "; " + suggest(args[0], names));
}

// Parts of `model` write results only where an option says so.
bool names_outputs(const std::vector<std::string>& args) {
  return std::any_of(args.begin(), args.end(), [](const std::string& argument) {
    const std::string option = argument.substr(0, argument.find('='));
    return option == "--out" || option == "--record";
  });
}

// Parses the command line; help and version are printed to stdout.
int parse_and_run(CLI::App& app, CLI::App& options_of, const std::vector<std::string>& args, Command& command) {
  std::vector<std::string> reversed = check_arguments(options_of, args);
  std::reverse(reversed.begin(), reversed.end());
  for (const CLI::App* at = &options_of; at != &app; at = at->get_parent()) reversed.push_back(at->get_name());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    print((&app == &options_of ? app.help() : options_of.help(names_above(options_of))) + printable(command.help()));
    return 0;
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> extras = app.remaining(true);
    throw usage_error(extras.empty() ? "too many arguments" : unexpected(extras.front()));
  } catch (const CLI::RequiredError& error) {
    const std::vector<std::string> extras = app.remaining(true);
    if (extras.empty()) throw usage_error(error.what());
    throw usage_error(unexpected(extras.front()) + for_missing_option(options_of, extras.front()));
  } catch (const CLI::ExcludesError& error) {
    throw usage_error(error.what() + std::string("; give one of them"));
  } catch (const CLI::ParseError& error) {
    throw usage_error(error.what());
  }
  return command.run();
}

// `why run OPTIONS` is `run --why OPTIONS`, unless it names a folder of that name.
std::vector<std::string> without_alias(std::vector<std::string> args) {
  if (args.size() < 2 || args[0] != "why" || args[1] != "run") return args;
  if (args.size() == 2 && std::filesystem::exists("run/result.json")) return args;
  args[0] = "run";
  args[1] = "--why";
  return args;
}

}  // namespace

Error usage_error(const std::string& message) {
  return {ErrorFamily::configuration, "USAGE_ERROR", message};
}

std::pair<std::string, std::string> split_assignment(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw usage_error("--set needs name=value, not '" + text + "'");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void TopologyChoice::add_file_option(CLI::App& app) {
  if (program->fixed_topology) return;
  app.add_option("--topology", file,
                 "Topology file, or the name of a shipped machine (default: the built-in reference machine)")
      ->type_name("FILE");
}

void TopologyChoice::add_set_option(CLI::App& app) {
  app.add_option("--set", sets, "Override a key of the topology file, e.g. sip.cube_mesh.w=2; may be repeated")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

std::string TopologyChoice::path() const {
  return file.empty() ? file : machine_file(file);
}

topology::LoadedTopology TopologyChoice::load(const topology::Implementations& implementations) const {
  std::vector<std::pair<std::string, std::string>> overrides;
  for (const std::string& text : sets) overrides.push_back(split_assignment(text));
  return within_memory("reading the topology", [&] {
    if (!file.empty()) return topology::load(path(), overrides, implementations);
    return topology::load_text(program->topology.text, program->topology.name, overrides, implementations);
  });
}

void TopologyChoice::add_roles(const topology::LoadedTopology& machine, FileRoles& roles) const {
  if (file.empty()) return;
  roles.reads("--topology", file);
  const std::string& mesh = machine.graph.spec.mesh_file;
  if (!mesh.empty()) roles.reads("cube.mesh_file", (std::filesystem::path(file).parent_path() / mesh).string());
}

void print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written) return;
  const int error_number = errno;
  if (error_number == EPIPE) sim::exit_on_broken_pipe();
  throw Error::configuration(std::string("cannot write to standard output: ") + std::strerror(error_number) +
                             (observe::results_committed() ? "; all result files were written" : ""));
}

void print_text(const std::string& text) {
  print(printable(text));
}

void print_note(const std::string& text) {
  std::fflush(stdout);
  std::fputs((printable(text) + "\n").c_str(), stderr);
}

void print_warnings(const std::vector<Diagnostic>& warnings) {
  std::fflush(stdout);
  for (const Diagnostic& warning : warnings) {
    std::fputs(("warning: " + printable_line(warning.text()) + "\n").c_str(), stderr);
  }
}

int start_systemc_main(int argc, char** argv) {
  sim::install_interrupt_handlers();
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  ::setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);
  try {
    const int code = sc_core::sc_elab_and_sim(argc, argv);
    sim::allow_exit();
    return code;
  } catch (const std::bad_alloc&) {
    std::terminate();  // its handler reports the reason
  }
}

int run_kernbench(int argc, char** argv, const Program& program) {
  const std::vector<std::string> args = without_alias({argv + 1, argv + argc});
  Caller caller{program.name};
  return guarded(caller, [&] {
    CLI::App app(kOverview, program.name);
    app.footer(kOverviewFooter);
    app.add_flag("--version", "Print the version and exit");
    app.require_subcommand(0, 1);  // `web run` means a folder with that name
    std::vector<std::unique_ptr<Command>> commands;
    std::vector<std::string> names;
    for (const Entry& entry : kCommands) {
      commands.push_back(entry.make(*app.add_subcommand(entry.name, entry.summary), program));
      names.emplace_back(entry.name);
    }
    if (args.empty()) {
      std::fputs(app.help().c_str(), stderr);
      return exit_code(ErrorFamily::configuration);
    }
    if (args[0] == "--help" || args[0] == "-h" || args[0] == "help") return print(app.help()), 0;
    if (args[0] == "--version") return print(version_text()), 0;
    const auto found = std::find(names.begin(), names.end(), args[0]);
    if (found == names.end()) {
      const bool option = args[0].rfind('-', 0) == 0;
      if (option && args[0] != "--") check_arguments(app, {args[0]});
      throw usage_error((option ? "no command given before " : "unknown command ") + args[0] + "; " +
                        suggest(args[0], names));
    }
    const auto index = static_cast<std::size_t>(found - names.begin());
    caller = {program.name + " " + *found, kCommands[index].writes_results};
    std::vector<std::string> rest(args.begin() + 1, args.end());
    CLI::App* chosen = app.get_subcommand(*found);
    if (const std::optional<std::string> part = part_of(*chosen, rest)) {
      chosen = chosen->get_subcommand(*part);
      caller.name += " " + *part;
      rest.erase(rest.begin());
      caller.writes_results = names_outputs(rest);
    }
    return parse_and_run(app, *chosen, rest, *commands[index]);
  });
}

int run_simulation(int argc, char** argv, const Program& program) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  return guarded({program.name}, [&] {
    CLI::App app("Simulation of the machine of " + program.topology.name, program.name);
    app.add_flag("--version", "Print the version and exit");
    const std::unique_ptr<Command> command = make_run_command(app, program);
    if (!args.empty() && args[0] == "--version") return print(version_text()), 0;
    return parse_and_run(app, app, args, *command);
  });
}

}  // namespace kb::cli
