#include <CLI/CLI.hpp>

#include "sim/analysis/convert/perfetto.h"
#include "sim/cli/file_roles.h"
#include "sim/cli/help.h"
#include "sim/cli/program.h"

namespace kb::cli {
namespace {

class ConvertCommand final : public Command {
 public:
  explicit ConvertCommand(CLI::App& app) {
    app.footer(kConvertFooter);
    app.add_option("RUN_DIR", folder_, "Folder of a run with --record")->capture_default_str();
    app.add_option("--perfetto", perfetto_, "Operations, launches and activity as a trace of Perfetto")
        ->type_name("FILE")
        ->required();
    app.add_flag("--wires", options_.wires, "With the activity of every wire, too");
  }

  int run() override {
    FileRoles roles;
    for (const char* file : {"/result.json", "/topology.json", "/ops.sqlite"}) roles.reads("RUN_DIR", folder_ + file);
    roles.writes("--perfetto", perfetto_);
    roles.check();
    observe::OutputFile trace(perfetto_, "the trace");
    convert::write_perfetto_file(analysis::RunFolder(folder_), options_, trace);
    return 0;
  }

 private:
  std::string folder_ = "results", perfetto_;
  convert::PerfettoOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_convert_command(CLI::App& app, const Program&) {
  return std::make_unique<ConvertCommand>(app);
}

}  // namespace kb::cli
