// Times of a step: every distinct launch is simulated once, and the step is their exact sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/units.h"
#include "sim/study/step/answer.h"
#include "sim/study/step/launch_key.h"
#include "sim/study/step/memo.h"
#include "sim/study/step/step_machine.h"
#include "sim/study/step/step_units.h"
#include "sw/model/program.h"

namespace kb::step {

struct Span {
  TimeFs start = 0_fs, end = 0_fs;  // since the first launch of the step began
};

// Events of a step on a machine with coefficients of energy.
struct StepEvents {
  std::vector<Events> launches;  // of all SIPs together, by launch
  // The run, where the whole step or some layers were simulated in one: its duration, and what belongs to no launch.
  std::optional<Answer> run = {};
};

struct StepTimes {
  std::vector<std::vector<Span>> launches;  // by SIP and launch
  TimeFs gap = 0_fs;                        // from the end of a launch to the start of the next on its SIP
  TimeFs host = 0_fs;                       // between two steps (sw::host_turn)
  std::size_t simulated = 0;                // launches that were simulated, with their repetitions for --memo check
  std::size_t looked_up = 0;                // launches of all SIPs whose time was known
  std::size_t checked = 0;
  std::size_t likened = 0;  // sums that took the times of one that began a little differently
  TimeFs unlike = 0_fs;     // most by which a SIP began otherwise
  std::optional<StepEvents> events = {};

  TimeFs span() const;          // of the slowest SIP
  std::size_t slowest() const;  // its number
};

struct StepRun {
  const sw::Program& program;
  const StepMachines& machines;
  const LaunchKeys& keys;
  Catalogs catalogs;
  int jobs = 0;           // processes at a time, 0: one per core
  std::size_t check = 0;  // hits that are simulated again
  // Sums of a tensor over SIPs that are simulated at most, each with other starts of the SIPs; 0: all.
  std::optional<std::size_t> most_sums = {};
  std::function<void(std::size_t launches)> on_progress = {};  // launches that have been simulated
  sim::Progress progress = sim::Progress::off;                 // of a run that has the whole step
};

// Composes the step. Model Error that names launch and key when a hit that is checked takes another time.
StepTimes compose_step(const StepRun& run, Memo& memo);
// Simulates the whole step in one run, without a memo.
StepTimes simulate_whole_step(const StepRun& run);

}  // namespace kb::step
