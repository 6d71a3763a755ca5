#include <CLI/CLI.hpp>
#include <filesystem>

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
    app.add_option("PLACE", place_,
                   "Folder of a run, runs, a sweep or requests; file of a step or topology (.yaml, .json)")
        ->capture_default_str();
    app.add_option("--against", against_, "Run, or step, to compare this one with")->type_name("PLACE");
    app.add_option("--topology", choice_.file,
                   "Topology file of the run (default: topology.json of its folder, if any)")
        ->type_name("FILE");
    add_whole_option(app, "--port", port_, 0, kLastPort, "Port on this computer; 0 is any free one");
    app.add_flag("--no-open", no_open_, "Print the address and open no browser");
  }

  int run() override {
    web::SessionOptions options;
    options.site.place = place_;
    options.site.against = against_;
    if (!choice_.file.empty()) options.site.topology = topology::render_json(choice_.load());
    if (is_yaml(place_)) options.site.machine = machine_of(place_);
    options.port = static_cast<int>(port_);
    options.open_browser = !no_open_;
    web::serve(options, [](const std::string& line) { print_text(line + "\n"); });
    return 0;
  }

 private:
  static bool is_yaml(const std::string& place) {
    const std::filesystem::path path(place);
    std::error_code ignored;
    return (path.extension() == ".yaml" || path.extension() == ".yml") && !std::filesystem::is_directory(path, ignored);
  }
  std::string machine_of(const std::string& file) {
    if (!choice_.file.empty() || !against_.empty()) {
      throw usage_error("--topology and --against are for the folder of a run, and " + file + " is a topology file");
    }
    choice_.file = file;
    return topology::render_json(choice_.load());
  }

  TopologyChoice choice_;
  std::string place_ = "results", against_;
  std::uint64_t port_ = kUsualPort;
  bool no_open_ = false;
};

}  // namespace

std::unique_ptr<Command> make_web_command(CLI::App& app, const Program& program) {
  return std::make_unique<WebCommand>(app, program);
}

}  // namespace kb::cli
