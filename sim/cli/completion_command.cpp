#include <CLI/CLI.hpp>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/nearest.h"
#include "sim/cli/help.h"
#include "sim/cli/program.h"
#include "sim/cli/shipped_models.h"
#include "sim/study/evaluate/evaluation_file.h"
#include "sw/workloads/workload.h"

namespace kb::cli {
namespace {

const std::vector<std::string> kShells = {"bash", "zsh"};

// Options of a command and of its parts.
std::string options_of(const CLI::App& app) {
  std::set<std::string> seen;
  std::string words;
  const auto add = [&](const CLI::App& one) {
    for (const CLI::Option* const option : one.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        if (seen.insert(name).second) words += (words.empty() ? "--" : " --") + name;
      }
    }
  };
  add(app);
  for (const CLI::App* const part : app.get_subcommands({})) add(*part);
  return words;
}

// Completes the command behind one that has commands of its own.
std::string part_cases(const CLI::App& root) {
  std::string text;
  for (const CLI::App* const command : root.get_subcommands({})) {
    std::string words;
    for (const CLI::App* const part : command->get_subcommands({})) words += " " + part->get_name();
    if (!words.empty()) text += "      " + command->get_name() + ") words='" + words.substr(1) + "' ;;\n";
  }
  return text;
}

std::string model_words() {
  std::string words;
  for (const std::string& file : shipped_model_files()) {
    words += (words.empty() ? "" : " ") + std::filesystem::path(file).stem().string();
  }
  return words;
}

// Alternatives of a shell `case` that complete the values of an option.
std::string workload_cases(const sw::WorkloadRegistry& workloads) {
  std::string text;
  for (const std::string& name : workloads.names()) {
    std::string words;
    for (const sw::Parameter& parameter : workloads.find(name)->parameters) words += " " + parameter.name + "=";
    if (!words.empty()) text += "    " + name + ") words='" + words.substr(1) + "' ;;\n";
  }
  return text;
}

// Completes the first operand of commands that take one of a few words; other operands are files.
std::string operand_cases(const std::string& workloads) {
  std::string evaluations;
  for (const auto& [name, folder] : evaluate::installed_evaluations()) {
    evaluations += (evaluations.empty() ? "" : " ") + name;
  }
  const std::pair<const char*, std::string> operands[] = {{"list", workloads + " models"},
                                                          {"evaluate", evaluations},
                                                          {"schema", "topology result why tornado"},
                                                          {"completion", kShells[0] + " " + kShells[1]}};
  std::string text;
  for (const auto& [command, words] : operands)
    text += std::string("      ") + command + ") words='" + words + "' ;;\n";
  return text;
}

// The script also works in zsh with bashcompinit. COMP_WORDBREAKS may split `name=value`, so that values are completed
// only as file names.
std::string script(const std::string& program, const std::string& function, const CLI::App& root) {
  const sw::WorkloadRegistry workloads = sw::builtin_registry();
  std::string commands, options, names;
  for (const CLI::App* const command : root.get_subcommands({})) {
    commands += command->get_name() + " ";
    options += "    " + command->get_name() + ") words='" + options_of(*command) + "' ;;\n";
  }
  for (const std::string& name : workloads.names()) names += (names.empty() ? "" : " ") + name;
  return function +
         "() {\n"
         "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\" words='' bench='' i\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W '" +
         commands +
         "--help --version' -- \"$current\"))\n"
         "    return\n"
         "  fi\n"
         "  if [ \"$COMP_CWORD\" -eq 2 ] && [[ \"$current\" != -* ]]; then\n"
         "    case \"${COMP_WORDS[1]}\" in\n" +
         operand_cases(names) + part_cases(root) +
         "    esac\n"
         "  elif [ \"$COMP_CWORD\" -eq 3 ] && [ \"${COMP_WORDS[1]} $previous\" = 'model show' ] && [[ \"$current\" != "
         "-* ]]; then\n"
         "    COMPREPLY=($(compgen -W '" +
         model_words() +
         "' -f -- \"$current\"))\n"
         "    return\n"
         "  elif [ \"$previous\" = --bench ]; then\n"
         "    words='" +
         names +
         "'\n"
         "  fi\n"
         "  if [ -n \"$words\" ]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "    return\n"
         "  fi\n"
         "  if [ \"$previous\" = --set ] && [ \"${COMP_WORDS[1]}\" = run ]; then\n"
         "    bench='gemm-multi-pe'\n"
         "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
         "      [ \"${COMP_WORDS[i-1]}\" = --bench ] && bench=\"${COMP_WORDS[i]}\"\n"
         "    done\n"
         "    case \"$bench\" in\n" +
         workload_cases(workloads) +
         "    esac\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "    type compopt >/dev/null 2>&1 && compopt -o nospace 2>/dev/null\n"
         "    return\n"
         "  fi\n"
         "  case \"$current\" in\n"
         "    -*)\n"
         "    case \"${COMP_WORDS[1]}\" in\n" +
         options +
         "    esac\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F " +
         function + " " + program + "\n";
}

// When PROGRAM is completed for the first time, zsh reads the file _PROGRAM from its completion folders as the body of
// a function of that name, which must complete immediately. The same text can be sourced.
std::string zsh_script(const std::string& program, const CLI::App& root) {
  const std::string function = "_" + program + "_words";
  return "#compdef " + program + "\nautoload -U +X bashcompinit && bashcompinit\n" + script(program, function, root) +
         "[ \"$funcstack[1]\" = _" + program + " ] && _bash_complete -o filenames -F " + function + "\ntrue\n";
}

class CompletionCommand final : public Command {
 public:
  CompletionCommand(CLI::App& app, const Program& program) : app_(app), program_(program) {
    app.footer(kCompletionFooter);
    app.add_option("shell", shell_, "bash or zsh")->type_name("SHELL")->required();
  }

  int run() override {
    if (shell_ != "bash" && shell_ != "zsh") throw usage_error("shell '" + shell_ + "': " + suggest(shell_, kShells));
    const CLI::App& root = *app_.get_parent();
    print(shell_ == "zsh" ? zsh_script(program_.name, root) : script(program_.name, "_" + program_.name, root));
    return 0;
  }

 private:
  CLI::App& app_;
  const Program& program_;
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> make_completion_command(CLI::App& app, const Program& program) {
  return std::make_unique<CompletionCommand>(app, program);
}

}  // namespace kb::cli
