// Signals at random moments, and just before a random call that changes a file.
#include <csignal>

#include "tests/robustness/fault_plan.h"
#include "tests/robustness/output_job.h"
#include "tests/robustness/session.h"

namespace kb::robustness {
namespace {

const std::vector<int> kSignals = {SIGINT, SIGTERM, SIGHUP, SIGKILL, SIGKILL, SIGABRT};
constexpr int kCrashed = 3;
constexpr int kInterrupted = 130;

// `kicked`: the signal came from outside; else the program sent it to itself in a call that changes a file.
std::vector<Verdict> judge_end(const OutputJob& job, const Trial& trial, int signal, bool kicked) {
  const bool finished = trial.end.code == 0 && trial.end.signal == 0;
  const bool by_signal = trial.end.signal == signal && signal == SIGKILL;
  const bool aborted = signal == SIGABRT && trial.end.code == kCrashed;  // as if a workload had called abort()
  if (finished || by_signal || aborted || (trial.end.signal == 0 && trial.end.code == kInterrupted)) return {};
  // A signal before the handlers are there ends the program as any other.
  if (!kicked && trial.end.signal == signal && trial.end.cpu_s < 0.05 && trial.err.empty()) return {};
  return {{"end", job.name + ": signal " + std::to_string(signal) + " ends with code " +
                      std::to_string(trial.end.code) + ", signal " + std::to_string(trial.end.signal)}};
}

}  // namespace

void attack_signals(const Session& session, std::uint64_t count) {
  const std::vector<OutputJob>& jobs = session.outputs;
  session.for_each("signals", count, [&](std::uint64_t index, const std::string& folder) {
    Random random = Random::of_case(session.seed, "signals", index);
    const std::size_t which = random.below(jobs.size());
    const OutputJob& job = jobs[which];
    AttackCase attack = random.chance(40) ? with_earlier_files(job) : job.attack;
    const int signal = random.pick(kSignals);
    TrialOptions options;
    const double moment = random.fraction() * 1.05 * job.wall_s;
    if (random.chance(50) && session.calls[which].at("all") > 0) {
      FaultPlan plan;
      plan.at = 1 + random.below(session.calls[which].at("all"));
      plan.signal = signal;
      options.environment = plan.environment(session.setup);
    } else {
      options.kick = ProcessCall::Kick{signal, moment};
    }
    attack.notes.push_back(
        "signal " + std::to_string(signal) + " " +
        (options.kick ? "after " + std::to_string(moment) + " s" : "by " + options.environment.back()));
    const Trial trial = carry_out(session.setup, attack, folder, options);
    std::vector<Verdict> verdicts = judge_files(job, attack, trial, signal == SIGKILL && trial.end.signal == SIGKILL);
    for (const Verdict& verdict : judge_end(job, trial, signal, options.kick.has_value())) verdicts.push_back(verdict);
    if (trial.end.timed_out) verdicts.push_back({"time", job.name + ": too slow after a signal"});
    for (const Verdict& verdict : judge_next_run(job, attack, trial, session.setup)) verdicts.push_back(verdict);
    session.report->add(session.id("signals", index), attack, trial, verdicts);
  });
}

}  // namespace kb::robustness
