// Commands that write each kind of file, and the contents that their folder must have after any disturbance.
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
  std::set<std::string> growing;             // files that stay incomplete when a run is disturbed
  bool together = true;                      // all other files appear, or none
  std::map<std::string, std::string> whole;  // contents, without parts that differ between runs
  double wall_s = 0.0;                       // duration of a good run
};

// Executes each command twice; without evaluations this takes seconds. Throws std::runtime_error when one fails or its
// files differ between the runs.
std::vector<OutputJob> output_jobs(const Setup& setup, bool with_evaluation);

// The job with files of an earlier run in its folder, which a failure must not change.
AttackCase with_earlier_files(const OutputJob& job);

// Judges the files after a disturbed run. `killed`: the program could not remove temporary files.
std::vector<Verdict> judge_files(const OutputJob& job, const AttackCase& attack, const Trial& trial, bool killed);
// Repeats the command in the folder that `first` left: afterwards it must have exactly the files of a good run.
std::vector<Verdict> judge_next_run(const OutputJob& job, const AttackCase& attack, const Trial& first,
                                    const Setup& setup);

}  // namespace kb::robustness
