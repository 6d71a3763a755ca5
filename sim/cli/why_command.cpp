#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "platform/observe/output_file.h"
#include "sim/cli/catalogs.h"
#include "sim/cli/help.h"
#include "sim/cli/program.h"
#include "sim/cli/why_choice.h"
#include "sim/cli/workload_library.h"
#include "sim/result/inputs.h"
#include "sim/result/read.h"
#include "sim/run/driver/interrupt.h"
#include "sim/study/files/folder_lock.h"
#include "sim/study/why/explain.h"
#include "sim/study/why/point.h"
#include "sim/study/why/relief.h"
#include "sim/study/why/report.h"
#include "sim/study/why/tornado_report.h"

namespace kb::cli {
namespace {

std::string footer() {
  std::string text = kWhyFooter;
  for (const why::ReliefFamily& family : why::relief_families()) {
    text += fmt::format("  {:<8}{}\n", family.name, family.text);
  }
  return text + kWhyEnd;
}

class WhyCommand final : public Command {
 public:
  WhyCommand(CLI::App& app, const Program& program) : program_(program) {
    app.footer(footer());
    app.add_option("RUN_DIR", folder_, "Folder of a run (or: why run OPTIONS, which is run --why OPTIONS)")->required();
    choice_.add_ladder_options(app, "");
    app.add_flag("--machine", machine_, "Instead of the ladder: change each key of the machine alone (tornado)");
    app.add_flag("--json", json_, "Print why.json (or tornado.json) and nothing else on standard output");
    app.add_flag("--quiet", quiet_, "Print errors only");
  }

  int run() override {
    const std::string folder = std::filesystem::path(folder_ + "/").parent_path().string();
    const result::Inputs inputs = result::read_inputs(folder);
    why::check_program(inputs, folder);
    const result::Result result = result::read(folder);
    why::check_result(result, folder);
    std::vector<std::string> plugins;
    for (const result::FileStamp& plugin : inputs.plugins) plugins.push_back(plugin.file);
    const WorkloadLibrary library(plugins);
    const sweep::Catalogs catalogs = catalogs_of(library, program_);
    const why::Repeat repeat(inputs, folder, catalogs);
    observe::make_folder(folder + "/why", "`cp -r " + why::quoted(folder) + " COPY && kernbench why COPY`");
    const files::FolderLock lock(folder + "/why", true, "explanation");
    sim::set_interrupt_hint("finished runs are kept; the same command goes on");
    const why::ExplainOptions options = choice_.options(quiet_);
    if (machine_) {
      const why::MachineExplanation explanation = why::explain_machine(repeat, result, options);
      why::write_explanation(explanation, repeat);
      show(json_ ? why::render_json(explanation.tornado, repeat) : why::text_of(explanation, repeat));
    } else {
      const why::Explanation explanation = why::explain(repeat, &result, options);
      why::write_explanation(explanation, repeat);
      show(json_ ? why::render_json(explanation.ladder, repeat) : why::text_of(explanation, repeat, options));
    }
    return 0;
  }

 private:
  void show(const std::string& text) const {
    if (json_) {
      print(text);
    } else if (!quiet_) {
      print_text(text);
    }
  }

  const Program& program_;
  std::string folder_;
  WhyChoice choice_;
  bool machine_ = false, json_ = false, quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> make_why_command(CLI::App& app, const Program& program) {
  return std::make_unique<WhyCommand>(app, program);
}

}  // namespace kb::cli
