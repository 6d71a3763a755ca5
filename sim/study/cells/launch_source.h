// Simulated launches as a source of times: a run is rehearsed until the tables have every cell that it asks for.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sim/study/cells/cell_simulator.h"
#include "sw/profile/launch_tables.h"
#include "sw/serving/i_time_source.h"

namespace kb::cells {

class LaunchSource final : public serving::ITimeSource {
 public:
  // `sums`: several SIPs share the model. The simulator outlives this.
  LaunchSource(CellSimulator& simulator, bool sums) : simulator_(simulator), sums_(sums) {}

  void on_progress(CellSimulator::Progress progress) { progress_ = std::move(progress); }
  std::unique_ptr<serving::IStepTime> times() override;
  // Rehearsals with missing cells go by estimates, so that the next one may ask for others.
  void prepare(const std::function<void(serving::IStepTime&)>& rehearse) override;

  const profile::LaunchTables& tables() const { return tables_; }

 private:
  void begin();

  CellSimulator& simulator_;
  bool sums_;
  profile::LaunchTables tables_;
  CellSimulator::Progress progress_;
};

}  // namespace kb::cells
