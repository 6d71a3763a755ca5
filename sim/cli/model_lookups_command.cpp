#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "platform/observe/output_set.h"
#include "sim/cli/file_roles.h"
#include "sim/cli/help.h"
#include "sim/cli/model_command.h"
#include "sim/cli/profile_choice.h"
#include "sim/study/requests/lookups.h"

namespace kb::cli {
namespace {

class ModelLookupsCommand final : public Command {
 public:
  explicit ModelLookupsCommand(CLI::App& app) {
    app.footer(kModelLookupsFooter);
    app.add_option("FILE", file_, "CSV of look-ups or of batches")->required();
    choice_.add_options(app);
    app.add_option("--out", out_, "Write to FILE instead of standard output")->type_name("FILE");
  }

  int run() override {
    FileRoles roles;
    choice_.add_roles(roles);
    roles.reads("FILE", file_);
    roles.writes("--out", out_);
    roles.check();
    choice_.load();
    print_warnings(choice_.bundle().warnings);
    observe::OutputSet outputs;
    observe::OutputFile* const output = out_.empty() ? nullptr : &outputs.add(out_, "the output file");
    const requests::LookupTable table =
        requests::look_up(file_, choice_.bundle().profile, choice_.model(), choice_.ranks(), choice_.links());
    if (output != nullptr) output->write(table.csv);
    outputs.commit();
    if (output == nullptr) print_text(table.csv);
    if (table.compared) {
      print_note(fmt::format("{} rows, {} differ from the expected time", table.rows, table.different));
    }
    return table.different == 0 ? 0 : exit_code(ErrorFamily::program);
  }

 private:
  ProfileChoice choice_;
  std::string file_, out_;
};

}  // namespace

std::unique_ptr<Command> make_model_lookups_command(CLI::App& app, const Program&) {
  return std::make_unique<ModelLookupsCommand>(app);
}

}  // namespace kb::cli
