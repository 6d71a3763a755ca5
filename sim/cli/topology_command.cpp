#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/topology/schema.h"
#include "platform/views/view_files.h"
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
    app.add_option("--svg", svg_folder_, "Draw tray, SIP, cube and PE into DIR: system_view.svg, sip_view.svg ...")
        ->type_name("DIR")
        ->excludes(json)
        ->excludes(dot);
    app.add_option("--views", views_,
                   "With --svg: out of system, sip, cube, pe, queue, message (default: emit_views, or four)")
        ->type_name("LIST")
        ->delimiter(',')
        ->needs("--svg");
    app.add_option("--emit-mesh", mesh_file_, "Write the cube's router grid to FILE")->type_name("FILE");
  }

  int run() override {
    for (const std::string& view : views_) check_view(view);
    const WorkloadLibrary library(plugins_);
    const topology::LoadedTopology machine = choice_.load(library.blocks().implementations());
    write_files(machine);
    if (!svg_folder_.empty()) {
      for (const std::string& view : chosen_views(machine)) print_text(views::view_path(svg_folder_, view) + "\n");
    } else if (json_) {
      print(topology::render_json(machine));
    } else if (dot_) {
      print_text(topology::render_dot(machine, full_));
    } else {
      print_text(topology::render_summary(machine));
    }
    return 0;
  }

 private:
  static void check_view(const std::string& view) {
    const std::vector<std::string>& known = views::all_view_names();
    if (std::find(known.begin(), known.end(), view) != known.end()) return;
    throw usage_error(fmt::format("--views: there is no view '{}'; {}", view, suggest(view, known)));
  }

  // The views of --views, or those that the file requests, or all.
  const std::vector<std::string>& chosen_views(const topology::LoadedTopology& machine) const {
    if (!views_.empty()) return views_;
    const std::vector<std::string>& asked = machine.graph.spec.emit_views;
    return asked.empty() ? topology::view_names() : asked;
  }

  void write_files(const topology::LoadedTopology& machine) const {
    if (mesh_file_.empty() && svg_folder_.empty()) return;
    check_files(machine);
    observe::OutputSet files;
    if (!mesh_file_.empty()) files.add(mesh_file_, "the mesh file").write(topology::render_mesh(machine));
    if (!svg_folder_.empty()) {
      observe::make_folder(svg_folder_, "--svg");
      views::add_views(files, machine, svg_folder_, chosen_views(machine));
    }
    files.commit();
  }

  void check_files(const topology::LoadedTopology& machine) const {
    FileRoles roles;
    choice_.add_roles(machine, roles);
    for (const std::string& plugin : plugins_) roles.reads("--plugin", plugin);
    roles.writes("--emit-mesh", mesh_file_);
    if (!svg_folder_.empty()) {
      for (const std::string& view : chosen_views(machine)) roles.writes("--svg", views::view_path(svg_folder_, view));
    }
    roles.prints(json_ || dot_);
    roles.check();
  }

  TopologyChoice choice_;
  std::vector<std::string> plugins_;
  bool json_ = false;
  bool dot_ = false;
  bool full_ = false;
  std::string mesh_file_, svg_folder_;
  std::vector<std::string> views_;
};

}  // namespace

std::unique_ptr<Command> make_topology_command(CLI::App& app, const Program& program) {
  return std::make_unique<TopologyCommand>(app, program);
}

}  // namespace kb::cli
