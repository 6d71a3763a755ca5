// Fills tables of launches: from a store, and by simulation of what it lacks.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/cells/cell_run.h"
#include "sim/study/step/step_times.h"
#include "sw/profile/launch_joules.h"
#include "sw/profile/launch_tables.h"

namespace kb::cells {

// A step simulated exactly.
struct ExactStep {
  TimeFs time = 0_fs;                              // with the host's turn
  std::optional<serving::StepEnergy> energy = {};  // on machines with coefficients
};

class CellSimulator {
 public:
  // `jobs`: processes at a time, 0: one per core. Setup and memo outlive this.
  CellSimulator(const CellSetup& setup, step::Memo& memo, int jobs);

  // Adds the times of the cells, and where `joules` is not null, which needs coefficients, their joules. Each is kept
  // as soon as it is known, so that another call goes on where this one was ended. `on_progress` gets how many of the
  // missing ones are there.
  using Progress = std::function<void(std::size_t done, std::size_t missing)>;
  void fill(const std::vector<profile::Cell>& cells, profile::LaunchTables& tables, profile::LaunchJoules* joules,
            const Progress& on_progress);

  // A step with this very batch, simulated as `kernbench model step` does.
  ExactStep exact_step(const model::Batch& batch);

  const CellSetup& setup() const { return setup_; }
  std::size_t simulated() const { return simulated_; }  // cells
  std::size_t known() const { return known_; }

 private:
  const energy::Table& coefficients() const { return *setup_.machines.one.graph.spec.energy; }
  std::string key_of(const profile::Cell& cell, const std::string& part = "") const;
  std::string part_key(const profile::Cell& cell, std::size_t part) const;
  // From the memo. Empty events: not wanted. No value when something is missing.
  std::optional<CellAnswer> known_cell(const profile::Cell& cell, bool with_events) const;
  void keep(const profile::Cell& cell, CellAnswer answer);
  TimeFs gap();

  const CellSetup& setup_;
  step::Memo& memo_;
  int jobs_;
  std::string model_key_;
  std::size_t simulated_ = 0, known_ = 0;
};

}  // namespace kb::cells
