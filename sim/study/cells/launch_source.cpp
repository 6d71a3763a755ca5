#include "sim/study/cells/launch_source.h"

#include "sim/study/cells/cell_energy.h"
#include "sw/profile/launch_step_time.h"

namespace kb::cells {

using profile::Cell;
using profile::CellKind;

LaunchSource::LaunchSource(CellSimulator& simulator, bool sums) : simulator_(simulator), sums_(sums) {
  const CellSetup& setup = simulator.setup();
  if (const std::optional<std::string> history = step::hidden_state(setup.machines.one)) {
    approximations_.push_back("every launch is simulated from a quiet machine; " + *history);
  }
  const std::optional<energy::Table>& table = setup.machines.one.graph.spec.energy;
  if (!table) return;
  joules_.emplace().defaults = table->defaults;
  joules_->static_watts = static_watts(*table);
}

std::unique_ptr<serving::IStepTime> LaunchSource::times() {
  return std::make_unique<profile::LaunchStepTime>(tables_, attention_shape(simulator_.setup()), sums_,
                                                   joules_ ? &*joules_ : nullptr, approximations_);
}

void LaunchSource::fill(const std::vector<Cell>& cells) {
  simulator_.fill(cells, tables_, joules_ ? &*joules_ : nullptr, progress_);
}

// Enough for estimates.
void LaunchSource::begin() {
  std::vector<Cell> cells = {{CellKind::products, 1, 0},    {CellKind::products, 32, 0}, {CellKind::ends, 1, 0},
                             {CellKind::picked_ends, 1, 0}, {CellKind::decodes, 1, 512}, {CellKind::decodes, 16, 512},
                             {CellKind::chunks, 64, 0}};
  if (sums_) cells.push_back({CellKind::sums, 1, 0});
  fill(cells);
}

void LaunchSource::prepare(const std::function<void(serving::IStepTime&)>& rehearse) {
  begin();
  for (;;) {
    const std::unique_ptr<serving::IStepTime> own = times();
    rehearse(*own);
    const std::vector<Cell> wanted = tables_.take_wanted();
    if (wanted.empty()) return;
    fill(wanted);
  }
}

}  // namespace kb::cells
