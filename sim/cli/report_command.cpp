#include <CLI/CLI.hpp>

#include "platform/observe/output_file.h"
#include "sim/cli/file_roles.h"
#include "sim/cli/help.h"
#include "sim/cli/program.h"
#include "sim/web/report/report.h"

namespace kb::cli {
namespace {

class ReportCommand final : public Command {
 public:
  explicit ReportCommand(CLI::App& app) {
    app.footer(kReportFooter);
    app.add_option("RUN_DIR", folder_, "Folder of a run")->capture_default_str();
    app.add_option("--against", against_, "Also what differs from this run")->type_name("RUN_DIR");
    app.add_option("-o,--out", out_, "The file (default: report.html in RUN_DIR)")->type_name("FILE.html");
  }

  int run() override {
    const std::string out = out_.empty() ? folder_ + "/report.html" : out_;
    FileRoles roles;
    for (const char* file : {"/result.json", "/topology.json", "/ops.sqlite", "/inputs.json", "/why/why.json"}) {
      roles.reads("RUN_DIR", folder_ + file);
      if (!against_.empty()) roles.reads("--against", against_ + file);
    }
    roles.writes("--out", out);
    roles.check();
    const std::string page = web::render_report(folder_, against_);
    observe::OutputFile file(out, "the report");
    file.write(page);
    file.commit();
    print_text("report  " + out + "\n");
    return 0;
  }

 private:
  std::string folder_ = "results", against_, out_;
};

}  // namespace

std::unique_ptr<Command> make_report_command(CLI::App& app, const Program&) {
  return std::make_unique<ReportCommand>(app);
}

}  // namespace kb::cli
