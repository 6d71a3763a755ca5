// kb_attack: thousands of damaged inputs, signals, failing calls and full disks against the built program.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "tests/robustness/session.h"

namespace {

using namespace kb::robustness;
namespace fs = std::filesystem;

struct Choice {
  std::string program = KB_PROGRAM, configs = KB_CONFIGS, plugin = KB_PLUGIN, shim = KB_SHIM;
  std::uint64_t seed = 1, first = 0, inputs = 0, signals = 0, faults = 0, disks = 0, messages = 0;
  std::size_t jobs = 2;
  std::string corpus, only, replay;
  std::string findings = "findings";
  double limit_s = 10.0;
  bool sanitized = KB_SANITIZED;
};

void add_options(CLI::App& app, Choice& choice) {
  app.add_option("--program", choice.program, "The program that is attacked")->capture_default_str();
  app.add_option("--seed", choice.seed, "Equal seeds give equal cases")->capture_default_str();
  app.add_option("--first", choice.first, "Index of the first case, to go on or to share the work");
  app.add_option("--jobs", choice.jobs, "Cases at a time")->capture_default_str()->check(CLI::Range(1, 256));
  app.add_option("--inputs", choice.inputs, "Damaged inputs of all commands");
  app.add_option("--signals", choice.signals, "Signals at random moments of run, traffic and evaluate");
  app.add_option("--faults", choice.faults, "Calls of the system that fail: no room, no right, interrupted ...");
  app.add_option("--disks", choice.disks, "Disks and files that become full (tmpfs needs the rights of root)");
  app.add_option("--messages", choice.messages, "Random message kernels; every second one does not match");
  app.add_option("--corpus", choice.corpus, "Folder with inputs of found defects");
  app.add_option("--only", choice.only, "Only this case of the corpus");
  app.add_option("--replay", choice.replay, "One case again, e.g. 1:inputs4711; its folder stays");
  app.add_option("--findings", choice.findings, "Folder for what repeats the findings")->capture_default_str();
  app.add_option("--limit", choice.limit_s, "Seconds of CPU that a case may take")->capture_default_str();
  app.add_flag("--sanitized", choice.sanitized, "The program has sanitizers: memory is not judged, time is generous");
  app.footer(
      "Exit code 1 when something was found. The folder of a finding holds its inputs and a file 'command'; moved\n"
      "into tests/robustness/corpus it becomes a test.");
}

Setup setup_of(const Choice& choice, const std::string& work) {
  Setup setup;
  setup.program = fs::absolute(choice.program).string();
  setup.configs = choice.configs;
  setup.plugin = choice.plugin;
  setup.shim = choice.sanitized ? "" : choice.shim;
  setup.work = work;
  setup.sanitized = choice.sanitized;
  setup.limits.cpu_s = choice.limit_s * (choice.sanitized ? 10 : 1);
  setup.limits.wall_s = 4 * setup.limits.cpu_s;
  if (choice.sanitized) setup.limits.address_bytes = 0;
  AttackCase good;
  good.files["m.yaml"] = small_machine();
  good.args = {"run", "--topology", "m.yaml",   "--bench", "copy",  "--out",
               "o",   "--oplog",    "o.sqlite", "--vcd",   "w.vcd", "--quiet"};
  const Trial trial = carry_out(setup, good, work + "/good");
  if (trial.end.code != 0 || trial.end.signal != 0) throw std::runtime_error("a good run fails: " + trial.err);
  setup.baseline_kb = std::max<std::size_t>(trial.end.peak_kb, 30 << 10);
  return setup;
}

void replay(Session& session, Choice& choice) {
  const std::size_t colon = choice.replay.find(':');
  const std::size_t digit = choice.replay.find_first_of("0123456789", colon);
  if (colon == std::string::npos || digit == std::string::npos)
    throw std::runtime_error("--replay needs SEED:CASE, e.g. 1:inputs4711");
  session.seed = std::stoull(choice.replay.substr(0, colon));
  session.only = std::stoull(choice.replay.substr(digit));
  const std::string family = choice.replay.substr(colon + 1, digit - colon - 1);
  const std::map<std::string, std::uint64_t*> counts = {{"inputs", &choice.inputs},
                                                        {"signals", &choice.signals},
                                                        {"faults", &choice.faults},
                                                        {"disks", &choice.disks},
                                                        {"messages", &choice.messages}};
  if (counts.count(family) == 0) throw std::runtime_error("--replay knows inputs, signals, faults, disks and messages");
  *counts.at(family) = 1;
}

int attack(Choice choice) {
  std::string pattern = (fs::temp_directory_path() / "kb_attack_XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a folder " + pattern);
  Session session;
  Report report(fs::absolute(choice.findings).string());
  session.report = &report;
  session.seed = choice.seed;
  session.first = choice.first;
  session.jobs = choice.jobs;
  if (!choice.replay.empty()) replay(session, choice);
  prepare_small_disks(report, choice.disks > 0);
  session.setup = setup_of(choice, pattern);
  const auto start = std::chrono::steady_clock::now();
  if (choice.inputs > 0) session.seeds = load_seeds(session.setup);
  const std::uint64_t disturbed = choice.signals + choice.faults + choice.disks;
  if (disturbed > 0) {
    session.outputs = output_jobs(session.setup, disturbed >= 100 || session.only);
    session.calls = count_calls(session.setup, session.outputs);
  }
  if (!choice.corpus.empty()) attack_corpus(session, choice.corpus, choice.only);
  if (choice.inputs > 0) attack_inputs(session, choice.inputs);
  if (choice.messages > 0) attack_messages(session, choice.messages);
  if (choice.signals > 0) attack_signals(session, choice.signals);
  if (choice.faults > 0) attack_faults(session, choice.faults);
  if (choice.disks > 0) attack_disks(session, choice.disks);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("seed {}, {:.0f} s\n{}", session.seed, seconds, report.summary());
  if (session.only) {
    fmt::print("the folder of the case: {}\n", pattern);
  } else {
    fs::remove_all(pattern);
  }
  return report.classes() == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Choice choice;
    CLI::App app("Attacks the built program and judges how it ends", "kb_attack");
    add_options(app, choice);
    CLI11_PARSE(app, argc, argv);
    return attack(choice);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kb_attack: %s\n", error.what());
    return 2;
  }
}
