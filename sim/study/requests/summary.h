// What `kernbench model requests` prints of a run, or of one run per rate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/study/requests/rate_sweep.h"
#include "sim/study/requests/served_energy.h"
#include "sim/study/requests/serving_run.h"
#include "sim/study/requests/step_samples.h"
#include "sw/profile/launch_tables.h"

namespace kb::requests {

// Times of a simulated machine: how many cells of tables were needed, and how far off they are.
struct SimulatedTimes {
  std::size_t simulated = 0, known = 0;  // cells
  std::vector<profile::LeaveOneOut> tables;
  std::vector<StepCheck> checks;
  std::optional<EnergyCount> energy;  // where they are counted

  double mean_error() const;                        // of the mean time of the checked steps
  std::optional<double> mean_joules_error() const;  // of the mean of their joules
};

struct Summary {
  std::string trace, trace_format, profile;  // files and format as given
  std::string model, hardware;
  ServingSetup setup;
  std::optional<double> rate;  // other than that of the trace
  double trace_rate = 0;       // requests per second; 0: all at once
  std::size_t requests = 0, skipped = 0;
  std::vector<std::string> warnings;
  const Served* served = nullptr;    // of one run
  const RateSweep* sweep = nullptr;  // of several
  std::optional<SimulatedTimes> simulated = {};

  // What one run took, where joules are counted.
  std::optional<ServedEnergy> energy() const {
    return served == nullptr ? std::nullopt : energy_of(served->statistics);
  }
};

std::string summary_text(const Summary& summary);
std::string summary_json(const Summary& summary);

}  // namespace kb::requests
