#include "sw/runtime/launch_order.h"

#include <algorithm>
#include <set>
#include <utility>

#include "platform/contract/i_host.h"
#include "platform/contract/kernel_launch.h"

namespace kb::sw {

void LaunchOrder::order(contract::KernelLaunch& launch) const {
  const auto found = launches_.find(launch.sip);
  if (!launch.queued || found == launches_.end()) return;
  std::set<CubeId> cubes(launch.cubes.begin(), launch.cubes.end());
  std::set<PeId> pes(launch.pes.begin(), launch.pes.end());
  bool any = false;
  for (const UnderWay& before : found->second) {
    if (host_.done(before.request)) continue;
    any = true;
    cubes.insert(before.launch->cubes.begin(), before.launch->cubes.end());
    pes.insert(before.launch->pes.begin(), before.launch->pes.end());
  }
  if (!any) return;
  launch.start_barrier = {{cubes.begin(), cubes.end()}, {pes.begin(), pes.end()}};
  launch.target_start.reset();
}

// Who waits for a queued launch waits for all before it.
void LaunchOrder::submitted(contract::RequestId request, std::shared_ptr<const contract::KernelLaunch> launch) {
  std::vector<UnderWay>& before = launches_[launch->sip];
  const auto ended = [&](const UnderWay& one) { return launch->queued || host_.done(one.request); };
  before.erase(std::remove_if(before.begin(), before.end(), ended), before.end());
  before.push_back({request, std::move(launch)});
}

}  // namespace kb::sw
