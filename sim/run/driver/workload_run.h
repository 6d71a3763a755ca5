// Runs one workload on one machine and turns what happened into a result record and an exit code.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platform/topology/topology.h"
#include "sim/run/driver/run_record.h"
#include "sim/run/driver/simulation.h"
#include "sw/workloads/workload.h"

namespace kb::sim {

struct WorkloadRun {
  topology::LoadedTopology topology;
  const contract::IKernelCatalog* kernels = nullptr;
  const sw::AllReduceCatalog* all_reduces = nullptr;  // null = the built-in ones
  const sw::Workload* workload = nullptr;
  sw::Params params;
  std::map<std::string, ConfigEntry> reference;  // configuration that the settings of the record are compared with
  std::string device;                            // as given: "all", "sip:1"
  std::vector<int> sips;                         // the same as SIP numbers
  std::uint64_t seed = 1;
  bool strict = false;  // warnings of the run fail it
  bool verify = false;  // the user asked for verification
  bool check_races = false;
  bool record = false;  // how busy everything is, for the findings and for a database of operations
  // With bins of its own, which divide launches; the run has no findings then, which are about whole launches.
  std::optional<std::pair<TimeFs, TimeFs>> record_window;
  SimulationOptions options;
};

struct WorkloadOutcome {
  RunRecord record;
  bool has_contents = false;  // else there is nothing that could be verified
  int exit_code = 0;
};

// The part of the record that is known before the run.
RunRecord describe(const WorkloadRun& run);

// Program failures and lack of progress are in the outcome; configuration and model Errors are thrown.
WorkloadOutcome run_workload(const WorkloadRun& run);

}  // namespace kb::sim
