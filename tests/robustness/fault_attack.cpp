// Calls that change files fail, one at a time or from one on.
#include <cerrno>
#include <cstring>

#include "tests/robustness/fault_plan.h"
#include "tests/robustness/output_job.h"
#include "tests/robustness/session.h"

namespace kb::robustness {
namespace {

const std::vector<int> kErrors = {ENOSPC, EIO, EACCES, EINTR, EMFILE};

FaultPlan plan_of(const CallCounts& counts, Random& random) {
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : counts) {
    if (count > 0 && kind != "all") kinds.push_back(kind);
  }
  FaultPlan plan;
  if (kinds.empty()) return plan;
  plan.call = random.pick(kinds);
  plan.at = 1 + random.below(counts.at(plan.call));
  plan.error_number = random.pick(kErrors);
  plan.sticky = random.chance(30) && plan.error_number != EINTR;
  return plan;
}

std::vector<Verdict> judge_fault(const OutputJob& job, const AttackCase& attack, const Trial& trial,
                                 const FaultPlan& plan, const Setup& setup) {
  std::vector<Verdict> verdicts;
  const bool cannot_tidy = plan.call == "unlink" || (plan.call == "rename" && plan.sticky);  // nothing can be undone
  for (const Verdict& verdict : judge_files(job, attack, trial, cannot_tidy)) verdicts.push_back(verdict);
  using Judge = Finding (*)(const AttackCase&, const Trial&, const Setup&);
  const std::vector<std::pair<const char*, Judge>> judges = {{"signal", judge_signal},
                                                             {"exit code", judge_exit_code},
                                                             {"time", judge_time},
                                                             {"message", judge_message},
                                                             {"control", judge_control_bytes}};
  for (const auto& [name, function] : judges) {
    if (const Finding found = function(attack, trial, setup)) {
      verdicts.push_back(
          {name, job.name + ", " + plan.call + " fails with " + std::strerror(plan.error_number) + ": " + *found});
    }
  }
  return verdicts;
}

}  // namespace

void attack_faults(const Session& session, std::uint64_t count) {
  if (session.setup.shim.empty())
    return session.report->skip("faults", "nothing can be preloaded into a program with sanitizers");
  const std::vector<OutputJob>& jobs = session.outputs;
  session.for_each("faults", count, [&](std::uint64_t index, const std::string& folder) {
    Random random = Random::of_case(session.seed, "faults", index);
    const std::size_t which = random.below(jobs.size());
    const OutputJob& job = jobs[which];
    AttackCase attack = random.chance(40) ? with_earlier_files(job) : job.attack;
    const FaultPlan plan = plan_of(session.calls[which], random);
    TrialOptions options;
    options.environment = plan.environment(session.setup);
    std::string note = "with";
    for (const std::string& word : options.environment) note += " " + word;
    attack.notes.push_back(note);
    const Trial trial = carry_out(session.setup, attack, folder, options);
    std::vector<Verdict> verdicts = judge_fault(job, attack, trial, plan, session.setup);
    for (const Verdict& verdict : judge_next_run(job, attack, trial, session.setup)) verdicts.push_back(verdict);
    session.report->add(session.id("faults", index), attack, trial, verdicts);
  });
}

}  // namespace kb::robustness
