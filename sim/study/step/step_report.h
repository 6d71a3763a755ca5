// What `kernbench model step` prints.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/units.h"
#include "platform/model/report.h"
#include "sim/study/step/step_energy.h"
#include "sim/study/step/step_sample.h"
#include "sim/study/step/step_times.h"

namespace kb::step {

// Launches that are equal but for the layer.
struct StepRow {
  std::string name, kernel;
  std::int64_t count = 0;
  TimeFs least = 0_fs, most = 0_fs, all = 0_fs;  // on the slowest SIP
  std::vector<TimeFs> each;                      // in the order of layers
  std::vector<std::size_t> launches;             // their numbers in the program
  model::Work work;                              // of one
  model::RoofTime roof;                          // of that
  TimeFs roof_all = 0_fs;                        // least time of all
};

struct StepReport {
  const model::ModelReport& model;
  const sw::Program& program;
  const StepTimes& times;
  std::vector<StepRow> rows;                       // in the order of their first launches
  std::vector<std::string> approximations;         // empty: every time is that of a run of the whole step
  TimeFs roof = 0_fs;                              // least time of the launches, all together
  bool composed = true;                            // from launches; false: simulated in one run
  std::map<std::string, std::string> config = {};  // of the machine: all keys
  std::optional<Sample> sample = {};               // when only some layers were simulated
  TimeFs gaps = 0_fs;                              // between launches, all together
  std::optional<StepEnergy> energy = {};           // on machines with coefficients

  // From the first launch of a step to that of the next: time per output token, or time to the first.
  TimeFs step() const { return time_sum(times.span(), times.host); }
  double tokens_per_second() const;
  double flop() const;  // of all SIPs that share the model
};

StepReport make_step_report(const model::ModelReport& model, const sw::Program& program, const StepTimes& times);

// Prices the events of the step, if they were counted.
void add_energy(const energy::Table& table, StepReport& report);

std::string render_step(const StepReport& report);
std::string render_step_json(const StepReport& report);

}  // namespace kb::step
