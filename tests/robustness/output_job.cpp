#include "tests/robustness/output_job.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/robustness/file_text.h"
#include "tests/robustness/seeds.h"
#include "tests/robustness/small_evaluation.h"

namespace kb::robustness {
namespace {

constexpr const char* kEarlier = "of an earlier run\n";

std::string trace_of_many_rows() {
  std::string text = "id,issue_ns,op,src,dst,bytes\n";
  for (int i = 0; i < 3000; ++i) {
    text += std::to_string(i) + "," + std::to_string(i * 10) + ",pe_read,sip0.cube0.pe0,0x2000010000,4096\n";
  }
  return text;
}

OutputJob job(const std::string& name, std::vector<std::string> args, std::vector<std::string> finals) {
  OutputJob made;
  made.name = name;
  made.attack.files["m.yaml"] = small_machine();
  made.attack.args = std::move(args);
  made.finals = std::move(finals);
  return made;
}

std::vector<OutputJob> all_jobs() {
  const std::vector<std::string> run = {"run",     "--topology", "m.yaml", "--bench",   "gemm-single-pe",
                                        "--set",   "m=256",      "--set",  "tile_m=64", "--verify-data",
                                        "--quiet", "--out",      "o",      "--vcd",     "w.vcd"};
  std::vector<std::string> text = run, database = run;
  text.insert(text.end(), {"--oplog", "ops.tsv", "--set", "visualization.emit_views=[cube, pe]"});
  database.insert(database.end(), {"--oplog", "ops.sqlite"});
  std::vector<OutputJob> jobs = {
      job("run", text, {"o/result.json", "o/cube_view.svg", "o/pe_view.svg", "ops.tsv", "w.vcd"}),
      job("database", database, {"o/result.json", "ops.sqlite", "w.vcd"}),
      job("traffic", {"traffic", "--topology", "m.yaml", "--trace", "t.csv", "--json", "--out", "times.json"},
          {"times.json"}),
      job("mesh", {"topology", "m.yaml", "--emit-mesh", "mesh.yaml"}, {"mesh.yaml"}),
      job("drawings", {"topology", "m.yaml", "--svg", "d"},
          {"d/system_view.svg", "d/sip_view.svg", "d/cube_view.svg", "d/pe_view.svg"}),
      job("evaluate", {"evaluate", "e", "--topology", "m.yaml", "--jobs", "2", "--out", "o", "--quiet"},
          {"o/rate.csv", "o/e.sqlite", "o/rate_a b.svg", "o/rate_a b.gp"})};
  jobs[0].growing = jobs[1].growing = {"w.vcd"};
  jobs.back().attack.files.merge(small_evaluation("e"));
  jobs[2].attack.files["t.csv"] = trace_of_many_rows();
  jobs.back().together = false;  // tables first, figures from them
  return jobs;
}

std::string whole_of(const std::string& folder, const std::string& name) {
  std::string text = read_text(folder + "/" + name);
  if (name != "o/result.json") return text;
  nlohmann::json result = nlohmann::json::parse(text, nullptr, false);
  if (result.is_object()) result.erase("host");
  return result.dump();
}

// Lines of the whole file, and perhaps the time until which they are complete.
bool begins_waveform(const std::string& text, const std::string& whole) {
  const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
  const std::size_t same = text[last] == '#' ? last : text.size();
  return text.size() > 2 && text.back() == '\n' && whole.compare(0, same, text, 0, same) == 0;
}

enum class State { absent, earlier, beginning, whole, other };

State state_of(const OutputJob& job, const Trial& trial, const std::string& name) {
  if (trial.after.count(name) == 0) return State::absent;
  if (read_text(trial.folder + "/" + name) == kEarlier) return State::earlier;
  const std::string text = whole_of(trial.folder, name);
  if (text == job.whole.at(name)) return State::whole;
  return job.growing.count(name) != 0 && begins_waveform(text, job.whole.at(name)) ? State::beginning : State::other;
}

bool success(const Trial& trial) {
  return trial.end.code == 0 && trial.end.signal == 0 && !trial.end.timed_out;
}

}  // namespace

std::vector<OutputJob> output_jobs(const Setup& setup, bool with_evaluation) {
  std::vector<OutputJob> jobs = all_jobs();
  if (!with_evaluation) jobs.pop_back();
  for (OutputJob& job : jobs) {
    for (int round = 0; round < 2; ++round) {
      const Trial trial = carry_out(setup, job.attack, setup.work + "/job_" + job.name);
      if (!success(trial)) throw std::runtime_error(command_line(job.attack, "kernbench") + " fails: " + trial.err);
      job.wall_s = trial.end.wall_s;
      for (const std::string& name : job.finals) {
        const std::string text = whole_of(trial.folder, name);
        if (round == 1 && text != job.whole[name]) throw std::runtime_error("equal runs write different files " + name);
        job.whole[name] = text;
      }
    }
  }
  return jobs;
}

AttackCase with_earlier_files(const OutputJob& job) {
  AttackCase attack = job.attack;
  for (const std::string& name : job.finals) attack.files[name] = kEarlier;
  return attack;
}

std::vector<Verdict> judge_files(const OutputJob& job, const AttackCase& attack, const Trial& trial, bool killed) {
  std::vector<Verdict> verdicts;
  std::string whole, missing;
  for (const std::string& name : job.finals) {
    const State state = state_of(job, trial, name);
    const bool earlier = attack.files.count(name) != 0;
    if (state == State::other) verdicts.push_back({"files", job.name + ": incomplete " + name});
    if (state == State::beginning && !killed && trial.err.find(name + " has the waveforms up to") == std::string::npos)
      verdicts.push_back({"files", job.name + ": the message does not say that " + name + " ends early"});
    if (state == State::absent && earlier) verdicts.push_back({"files", job.name + ": lost the earlier " + name});
    if (state != State::whole) missing += " " + name;
    if (state == State::whole && job.growing.count(name) == 0) whole += " " + name;
  }
  if (success(trial) && !missing.empty()) verdicts.push_back({"files", job.name + ": success without" + missing});
  if (!killed && !success(trial) && job.together && !whole.empty() && !missing.empty()) {
    verdicts.push_back({"files", job.name + ": failed, and yet wrote" + whole + ", not" + missing});
  }
  const auto says = [&](const char* text) { return trial.err.find(text) != std::string::npos; };
  if ((says("all result files were written") && !missing.empty()) ||
      (says("no result files were written") && !whole.empty())) {
    verdicts.push_back({"files", job.name + ": the message is wrong about the files: " + trial.err.substr(0, 200)});
  }
  for (const std::string& name : changed(trial.before, trial.after)) {
    const bool output = std::find(job.finals.begin(), job.finals.end(), name) != job.finals.end();
    const bool of_evaluation = name.rfind("o/", 0) == 0 && job.name == "evaluate";
    if (!output && !of_evaluation) verdicts.push_back({"user file", job.name + ": changed " + name});
  }
  for (const std::string& name : new_files(trial.before, trial.after)) {
    const bool staged = name.find("sweeps/") != std::string::npos && !success(trial);
    if (!killed && !staged && temporary_name(name))
      verdicts.push_back({"leftover", job.name + ": left behind " + name});
  }
  return verdicts;
}

std::vector<Verdict> judge_next_run(const OutputJob& job, const AttackCase& attack, const Trial& first,
                                    const Setup& setup) {
  TrialOptions again;
  again.prepare = false;
  Trial trial = carry_out(setup, attack, first.folder, again);
  if (!success(trial))
    return {{"next run",
             job.name + ": exit " + std::to_string(trial.end.code) + " after a kill: " + trial.err.substr(0, 200)}};
  trial.before = first.before;
  std::vector<Verdict> verdicts = judge_files(job, attack, trial, false);
  for (Verdict& verdict : verdicts) verdict.judge = "next run: " + verdict.judge;
  return verdicts;
}

}  // namespace kb::robustness
