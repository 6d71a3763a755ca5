// The subcommands of `kernbench model`.
#pragma once

#include <memory>

#include "sim/cli/program.h"

namespace kb::cli {

std::unique_ptr<Command> make_model_lookups_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_model_memo_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_model_profile_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_model_requests_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_model_show_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_model_step_command(CLI::App& app, const Program& program);
std::unique_ptr<Command> make_model_verify_command(CLI::App& app, const Program& program);

}  // namespace kb::cli
