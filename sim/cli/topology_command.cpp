#include <CLI/CLI.hpp>

#include "platform/observe/output_file.h"
#include "sim/cli/file_roles.h"
#include "sim/cli/help.h"
#include "sim/cli/program.h"
#include "sim/cli/workload_library.h"

namespace kb::cli {
namespace {

class TopologyCommand final : public Command {
 public:
  TopologyCommand(CLI::App& app, const Program& program) {
    choice_.program = &program;
    app.footer(kTopologyFooter);
    CLI::Option* file = app.add_option("FILE", choice_.file, "Topology file (default: the built-in reference machine)");
    app.add_option("--topology", choice_.file, "The same as FILE")->type_name("FILE")->excludes(file);
    choice_.add_set_option(app);
    add_plugin_option(app, plugins_);
    CLI::Option* json = app.add_flag("--json", json_, "Nodes, edges and the checked specification as JSON");
    CLI::Option* dot =
        app.add_flag("--dot", dot_, "A Graphviz drawing; one cube stands for equal ones")->excludes(json);
    app.add_flag("--full", full_, "With --dot: draw every node")->needs(dot);
    app.add_option("--emit-mesh", mesh_file_, "Write the cube's router grid to FILE")->type_name("FILE");
  }

  int run() override {
    const WorkloadLibrary library(plugins_);
    const topology::LoadedTopology machine = choice_.load(library.blocks().implementations());
    if (!mesh_file_.empty()) {
      check_files(machine);
      observe::OutputFile file(mesh_file_, "the mesh file");
      file.write(topology::render_mesh(machine));
      file.commit();
    }
    if (json_) {
      print(topology::render_json(machine));
    } else if (dot_) {
      print_text(topology::render_dot(machine, full_));
    } else {
      print_text(topology::render_summary(machine));
    }
    return 0;
  }

 private:
  void check_files(const topology::LoadedTopology& machine) const {
    FileRoles roles;
    choice_.add_roles(machine, roles);
    for (const std::string& plugin : plugins_) roles.reads("--plugin", plugin);
    roles.writes("--emit-mesh", mesh_file_);
    roles.prints(json_ || dot_);
    roles.check();
  }

  TopologyChoice choice_;
  std::vector<std::string> plugins_;
  bool json_ = false;
  bool dot_ = false;
  bool full_ = false;
  std::string mesh_file_;
};

}  // namespace

std::unique_ptr<Command> make_topology_command(CLI::App& app, const Program& program) {
  return std::make_unique<TopologyCommand>(app, program);
}

}  // namespace kb::cli
