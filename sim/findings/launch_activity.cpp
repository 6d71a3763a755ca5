#include "sim/findings/launch_activity.h"

#include <algorithm>

namespace kb::sim {

LaunchActivity::LaunchActivity(const record::ActivityRecorder& recorder, int group, std::uint64_t launch,
                               std::pair<TimeFs, TimeFs> window)
    : recorder_(recorder), window_(window) {
  const std::vector<record::Epoch>& epochs = recorder.epochs();
  // Of launches that overlap on the SIP the latest counts: this one's time may be in pieces, and elsewhere.
  const auto overlap = [&](const record::Epoch& epoch) {
    const bool own = epoch.group == group && epoch.launch == launch;
    return own ? std::min(window.second, epoch.end) - std::max(window.first, epoch.begin) : 0_fs;
  };
  const auto found = std::max_element(epochs.begin(), epochs.end(),
                                      [&](const auto& a, const auto& b) { return overlap(a) < overlap(b); });
  if (window.second <= window.first || found == epochs.end() || overlap(*found) <= 0_fs) return;
  begin_ = found->begin;
  shift_ = found->shift;
  const auto bin_of = [&](TimeFs time) {
    return static_cast<std::uint32_t>(std::max(time - begin_, 0_fs).fs() >> shift_);
  };
  first_bin_ = bin_of(window.first);
  bin_count_ = bin_of(std::min(window.second, found->end) - 1_fs) + 1 - first_bin_;
  const auto index = static_cast<std::uint32_t>(found - epochs.begin());
  for (const record::Activity& activity : recorder.activities()) {
    if (activity.epoch == index) activities_.push_back(&activity);
  }
}

// False when it was not used in the window.
bool LaunchActivity::fill(const record::Activity& activity, Row& row) const {
  row.series = &recorder_.series()[activity.series];
  row.sum = {};
  row.busy.assign(bin_count_, 0_fs);
  activity.bins.for_each([&](std::uint32_t bin, const record::Bin& what) {
    if (bin < first_bin_ || bin - first_bin_ >= bin_count_) return;
    row.busy[bin - first_bin_] = what.busy;
    row.sum.add(what);
  });
  return !row.sum.is_empty();
}

}  // namespace kb::sim
