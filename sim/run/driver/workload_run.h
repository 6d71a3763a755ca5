// Runs one workload on one machine and produces a result record and an exit code.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platform/topology/topology.h"
#include "sim/run/driver/run_record.h"
#include "sim/run/driver/simulation.h"
#include "sw/workloads/workload.h"

namespace kb::sim {

struct WorkloadRun {
  topology::LoadedTopology topology;
  std::shared_ptr<const topology::LoadedTopology> plan;  // the planning machine of --pins; null: `topology`
  const contract::IKernelCatalog* kernels = nullptr;
  const sw::AllReduceCatalog* all_reduces = nullptr;  // null = the built-in ones
  const sw::Workload* workload = nullptr;
  sw::Params params;
  std::map<std::string, ConfigEntry> reference;  // configuration with which the record's settings are compared
  std::string device;                            // as given by the user: "all", "sip:1"
  std::vector<int> sips;                         // `device` as SIP numbers
  std::uint64_t seed = 1;
  bool strict = false;  // warnings make the run fail
  bool verify = false;  // the user requested verification
  bool check_races = false;
  std::vector<std::string> source_folders;  // where to look for the text of kernels (source_text.h)
  bool record = false;                      // records occupancy, for findings and an operation database
  // Window with its own bins, which splits launches. The run then has no findings, because these are about whole
  // launches.
  std::optional<std::pair<TimeFs, TimeFs>> record_window;
  SimulationOptions options;
};

struct WorkloadOutcome {
  RunRecord record;
  bool has_contents = false;  // false: there are no contents to verify
  int exit_code = 0;
};

// The part of the record that is known before the run.
RunRecord describe(const WorkloadRun& run);

// Program failures and deadlocks are in the outcome; configuration and model Errors are thrown.
WorkloadOutcome run_workload(const WorkloadRun& run);

}  // namespace kb::sim
