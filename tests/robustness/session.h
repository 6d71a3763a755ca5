// Common data of all families of attacks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tests/robustness/fault_plan.h"
#include "tests/robustness/output_job.h"
#include "tests/robustness/report.h"
#include "tests/robustness/seeds.h"
#include "tests/robustness/trial.h"

namespace kb::robustness {

struct Session {
  Setup setup;
  Seeds seeds;                     // for damaged inputs
  std::vector<OutputJob> outputs;  // for signals, faults and disks
  std::vector<CallCounts> calls;   // of `outputs`
  std::uint64_t seed = 1;
  std::size_t jobs = 1;
  Report* report = nullptr;
  std::uint64_t first = 0;            // index of the first case
  std::optional<std::uint64_t> only;  // --replay: only this index

  // Calls body(index, folder) for every index, several concurrently, each with its own folder.
  using Body = std::function<void(std::uint64_t index, const std::string& folder)>;
  void for_each(const std::string& family, std::uint64_t count, const Body& body) const;
  std::string id(const std::string& family, std::uint64_t index) const { return family + std::to_string(index); }
};

// The families. `--replay SEED:<family><index>` repeats a case.
void attack_inputs(const Session& session, std::uint64_t count);   // damaged inputs
void attack_signals(const Session& session, std::uint64_t count);  // signals at random moments
void attack_faults(const Session& session, std::uint64_t count);   // failing system calls
void attack_disks(const Session& session, std::uint64_t count);    // small and full disks
// Creates a mount namespace, or reports the reason why that fails. Called before threads start.
void prepare_small_disks(Report& report, bool wanted);
void attack_messages(const Session& session, std::uint64_t count);  // random message kernels; half of them unmatched
void attack_corpus(const Session& session, const std::string& folder, const std::string& only);

}  // namespace kb::robustness
