// Simulated launches as a source of times: a run is rehearsed until the tables have every cell that it asks for.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sim/study/cells/cell_simulator.h"
#include "sw/profile/launch_joules.h"
#include "sw/profile/launch_tables.h"
#include "sw/serving/i_time_source.h"

namespace kb::cells {

class LaunchSource final : public serving::ITimeSource {
 public:
  // `sums`: several SIPs share the model. The simulator outlives this.
  // Joules are counted on machines with coefficients of energy.
  LaunchSource(CellSimulator& simulator, bool sums);

  void on_progress(CellSimulator::Progress progress) { progress_ = std::move(progress); }
  std::unique_ptr<serving::IStepTime> times() override;
  // Rehearsals with missing cells go by estimates, so that the next one may ask for others.
  void prepare(const std::function<void(serving::IStepTime&)>& rehearse) override;

  const profile::LaunchTables& tables() const { return tables_; }
  const profile::LaunchJoules* joules() const { return joules_ ? &*joules_ : nullptr; }  // null: not counted

 private:
  void begin();
  void fill(const std::vector<profile::Cell>& cells);

  CellSimulator& simulator_;
  bool sums_;
  std::vector<std::string> approximations_;
  profile::LaunchTables tables_;
  std::optional<profile::LaunchJoules> joules_;
  CellSimulator::Progress progress_;
};

}  // namespace kb::cells
