// Commands that write every kind of file, and what must be in their folder whatever happens meanwhile.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/robustness/judges.h"

namespace kb::robustness {

struct OutputJob {
  std::string name;
  AttackCase attack;
  std::vector<std::string> finals;           // files of a good run
  std::set<std::string> growing;             // those of them that stay, as far as they are, when a run is disturbed
  bool together = true;                      // all others appear, or none
  std::map<std::string, std::string> whole;  // their contents, without what differs between runs
  double wall_s = 0.0;                       // of a good run
};

// Carries each out twice; without evaluations they take seconds. std::runtime_error when one fails or its files differ
// between the runs.
std::vector<OutputJob> output_jobs(const Setup& setup, bool with_evaluation);

// Some cases begin with files of an earlier run, which a failure must leave as they are.
AttackCase with_earlier_files(const OutputJob& job);

// The files after a run that was disturbed. `killed`: the program could not tidy up.
std::vector<Verdict> judge_files(const OutputJob& job, const AttackCase& attack, const Trial& trial, bool killed);
// The same command again, in the folder that `first` left: everything is there, and nothing else.
std::vector<Verdict> judge_next_run(const OutputJob& job, const AttackCase& attack, const Trial& first,
                                    const Setup& setup);

}  // namespace kb::robustness
