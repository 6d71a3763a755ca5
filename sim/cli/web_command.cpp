#include <CLI/CLI.hpp>

#include "platform/topology/topology.h"
#include "sim/cli/arguments.h"
#include "sim/cli/help.h"
#include "sim/cli/program.h"
#include "sim/web/session.h"

namespace kb::cli {
namespace {

constexpr std::uint64_t kUsualPort = 8765, kLastPort = 65535;

class WebCommand final : public Command {
 public:
  WebCommand(CLI::App& app, const Program& program) {
    choice_.program = &program;
    app.footer(kWebFooter);
    app.add_option("RUN_DIR", folder_, "Folder of a run")->capture_default_str();
    app.add_option("--against", against_, "Folder of a run to compare this one with")->type_name("DIR");
    app.add_option("--topology", choice_.file, "Topology file of the run (default: topology.json of RUN_DIR, if any)")
        ->type_name("FILE");
    add_whole_option(app, "--port", port_, 0, kLastPort, "Port on this computer; 0 is any free one");
    app.add_flag("--no-open", no_open_, "Print the address and open no browser");
  }

  int run() override {
    web::SessionOptions options;
    options.folder = folder_;
    options.against = against_;
    if (!choice_.file.empty()) options.topology = topology::render_json(choice_.load());
    options.port = static_cast<int>(port_);
    options.open_browser = !no_open_;
    web::serve(options, [](const std::string& line) { print_text(line + "\n"); });
    return 0;
  }

 private:
  TopologyChoice choice_;
  std::string folder_ = "results", against_;
  std::uint64_t port_ = kUsualPort;
  bool no_open_ = false;
};

}  // namespace

std::unique_ptr<Command> make_web_command(CLI::App& app, const Program& program) {
  return std::make_unique<WebCommand>(app, program);
}

}  // namespace kb::cli
