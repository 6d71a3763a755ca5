// Rules of robustness, one function each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/robustness/trial.h"

namespace kb::robustness {

struct Verdict {
  std::string judge;  // its name
  std::string text;   // what was found
};

using Finding = std::optional<std::string>;  // no value: the trial passes

Finding judge_signal(const AttackCase&, const Trial&, const Setup&);
// For builds with sanitizers, whose exit code equals that of a failed workload.
Finding judge_sanitizers(const AttackCase&, const Trial&, const Setup&);
Finding judge_exit_code(const AttackCase&, const Trial&, const Setup&);
Finding judge_time(const AttackCase&, const Trial&, const Setup&);
// Limit: peak memory of a good run of the smallest machine, plus 256 MB, plus 64 bytes per byte of the input, plus
// 128 MB per second of CPU when the input is accepted.
Finding judge_memory(const AttackCase&, const Trial&, const Setup&);
Finding judge_message(const AttackCase&, const Trial&, const Setup&);        // place and remedy
Finding judge_control_bytes(const AttackCase&, const Trial&, const Setup&);  // no control bytes in messages
Finding judge_leftovers(const AttackCase&, const Trial&, const Setup&);      // temporary files
Finding judge_user_files(const AttackCase&, const Trial&, const Setup&);
Finding judge_rejected(const AttackCase&, const Trial&, const Setup&);  // exit 2 leaves no result files
Finding judge_result(const AttackCase&, const Trial&, const Setup&);    // result.json is whole and agrees
Finding judge_json(const AttackCase&, const Trial&, const Setup&);      // --json prints JSON only
Finding judge_expected(const AttackCase&, const Trial&, const Setup&);  // expectations of the case

std::vector<Verdict> judge(const AttackCase& attack, const Trial& trial, const Setup& setup);

// Parts of the rules, for the judges of other attacks.
bool names_place(const std::string& message);
bool names_remedy(const std::string& message);
bool temporary_name(const std::string& path);
std::string readable(const std::string& text, std::size_t most);  // control bytes escaped

}  // namespace kb::robustness
