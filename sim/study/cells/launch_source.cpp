#include "sim/study/cells/launch_source.h"

#include "sw/profile/launch_step_time.h"

namespace kb::cells {

using profile::Cell;
using profile::CellKind;

std::unique_ptr<serving::IStepTime> LaunchSource::times() {
  return std::make_unique<profile::LaunchStepTime>(tables_, attention_shape(simulator_.setup()), sums_);
}

// Enough for estimates.
void LaunchSource::begin() {
  std::vector<Cell> cells = {{CellKind::products, 1, 0},    {CellKind::products, 32, 0}, {CellKind::ends, 1, 0},
                             {CellKind::picked_ends, 1, 0}, {CellKind::decodes, 1, 512}, {CellKind::decodes, 16, 512},
                             {CellKind::chunks, 64, 0}};
  if (sums_) cells.push_back({CellKind::sums, 1, 0});
  simulator_.fill(cells, tables_, progress_);
}

void LaunchSource::prepare(const std::function<void(serving::IStepTime&)>& rehearse) {
  begin();
  for (;;) {
    const std::unique_ptr<serving::IStepTime> own = times();
    rehearse(*own);
    const std::vector<Cell> wanted = tables_.take_wanted();
    if (wanted.empty()) return;
    simulator_.fill(wanted, tables_, progress_);
  }
}

}  // namespace kb::cells
