#include "tests/robustness/trial.h"

#include <filesystem>

#include "tests/robustness/file_text.h"
#include "tests/robustness/generated_input.h"

namespace kb::robustness {
namespace {

namespace fs = std::filesystem;

}  // namespace

void plant_user_files(const std::string& folder) {
  for (const char* name : {"user.txt", "out.part", "notes.tmp", "staging/x", "folder/keep.txt"}) {
    write_text(folder + "/" + name, std::string("the user's own ") + name + "\n");
  }
  fs::create_symlink("user.txt", folder + "/link_to_user");
  fs::create_symlink("loop_b", folder + "/loop_a");
  fs::create_symlink("loop_a", folder + "/loop_b");
  fs::create_symlink("nowhere", folder + "/dangling");
}

void prepare_folder(const std::string& folder, const AttackCase& attack) {
  fs::create_directories(folder);
  plant_user_files(folder);
  for (const auto& [name, content] : attack.files) write_text(folder + "/" + name, content);
  for (const auto& [name, target] : attack.links) fs::create_symlink(target, folder + "/" + name);
  for (const std::string& line : attack.generated) {
    const GeneratedInput input = generated_input(line);
    write_text(folder + "/" + input.file, input.text);
  }
}

Trial carry_out(const Setup& setup, const AttackCase& attack, const std::string& folder, const TrialOptions& options) {
  if (options.prepare) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    prepare_folder(folder, attack);
  }
  Trial trial;
  trial.folder = folder;
  trial.before = snapshot(folder);
  ProcessCall call;
  call.words = attack.args;
  call.words.insert(call.words.begin(), setup.program);
  call.environment = options.environment;
  for (const auto& [name, value] : attack.environment) call.environment.push_back(name + "=" + value);
  call.folder = folder;
  call.out_file = attack.stdout_to.empty() ? folder + ".out" : attack.stdout_to;
  call.err_file = folder + ".err";
  call.limits = setup.limits;
  call.kick = options.kick;
  trial.end = run_process(call);
  trial.after = snapshot(folder);
  if (attack.stdout_to.empty()) trial.out = read_text(call.out_file, kMaxOutput);
  trial.err = read_text(call.err_file, kMaxOutput);
  return trial;
}

}  // namespace kb::robustness
