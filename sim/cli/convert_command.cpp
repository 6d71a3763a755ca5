#include <CLI/CLI.hpp>

#include "platform/observe/output_file.h"
#include "sim/cli/file_roles.h"
#include "sim/cli/help.h"
#include "sim/cli/program.h"
#include "sim/convert/gzip.h"
#include "sim/convert/perfetto.h"

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
    const web::RunFolder run(folder_);
    observe::OutputFile file(perfetto_, "the trace");
    const auto write = [&](std::string_view bytes) { file.write(bytes); };
    constexpr std::string_view kPacked = ".gz";
    if (perfetto_.size() > kPacked.size() && perfetto_.substr(perfetto_.size() - kPacked.size()) == kPacked) {
      convert::Gzip gzip(write);
      convert::write_perfetto(run, options_, [&](std::string_view bytes) { gzip.add(bytes); });
      gzip.finish();
    } else {
      convert::write_perfetto(run, options_, write);
    }
    file.commit();
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
