// Fills tables of launches: from a store, and by simulation of what it lacks.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "sim/study/cells/cell_run.h"
#include "sim/study/step/step_times.h"
#include "sw/profile/launch_tables.h"

namespace kb::cells {

class CellSimulator {
 public:
  // `jobs`: processes at a time, 0: one per core. Setup and memo outlive this.
  CellSimulator(const CellSetup& setup, step::Memo& memo, int jobs);

  // Adds the times of the cells. Each is kept as soon as it is known, so that another call goes on where this one was
  // ended. `on_progress` gets how many of the missing ones are there.
  using Progress = std::function<void(std::size_t done, std::size_t missing)>;
  void fill(const std::vector<profile::Cell>& cells, profile::LaunchTables& tables, const Progress& on_progress);

  // A step with this very batch, simulated as `kernbench model step` does; with the host's turn.
  TimeFs exact_step(const model::Batch& batch);

  const CellSetup& setup() const { return setup_; }
  std::size_t simulated() const { return simulated_; }  // cells
  std::size_t known() const { return known_; }

 private:
  std::string key_of(const profile::Cell& cell) const;
  TimeFs gap();

  const CellSetup& setup_;
  step::Memo& memo_;
  int jobs_;
  std::string model_key_;
  std::size_t simulated_ = 0, known_ = 0;
};

}  // namespace kb::cells
