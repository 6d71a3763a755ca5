// Execution of a case: its folder before and after, and the end of the program.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/robustness/attack_case.h"
#include "tests/robustness/process.h"
#include "tests/robustness/snapshot.h"

namespace kb::robustness {

struct Setup {
  std::string program;  // kernbench
  std::string configs;  // folder of the shipped configurations
  std::string plugin;   // library with the workload of random message programs
  std::string shim;     // library that makes system calls fail; empty: none
  std::string work;     // folder for all files of the trials
  Limits limits;
  bool sanitized = false;       // memory cannot be measured and every process is slower
  std::size_t baseline_kb = 0;  // peak memory of a good run of the smallest machine
};

constexpr std::size_t kMaxOutput = std::size_t{16} << 20;

struct Trial {
  ProcessEnd end;
  std::string out, err;    // the first kMaxOutput bytes
  Snapshot before, after;  // of the folder; `before` has the user's own files
  std::string folder;
};

struct TrialOptions {
  std::optional<ProcessCall::Kick> kick;
  std::vector<std::string> environment;
  bool prepare = true;  // creates the folder; false: uses the existing one
};

// Creates files of the user that no attack names: temporary names, folders and links that a careless program might use.
void plant_user_files(const std::string& folder);
void prepare_folder(const std::string& folder, const AttackCase& attack);  // with the user's files, inputs and links
Trial carry_out(const Setup& setup, const AttackCase& attack, const std::string& folder,
                const TrialOptions& options = {});

}  // namespace kb::robustness
