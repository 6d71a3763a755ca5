#include "sim/web/report/launches.h"

#include "platform/base/names.h"

namespace kb::web {

std::vector<LaunchTimes> launches_of(const result::Result& result) {
  std::vector<LaunchTimes> all;
  for (const result::Launch& launch : result.launches) {
    if (launch.submit < 0_fs || launch.time() <= 0_fs) continue;
    LaunchTimes times{&launch, launch_name(launch.kernel, launch.label), "sip" + std::to_string(launch.sip), {}, {},
                      ""};
    times.whole = {launch.submit.fs(), launch.completed->fs()};
    if (launch.start) times.kernel = {launch.start->fs(), (*launch.start + launch.exec.max).fs()};
    if (launch.breakdown) times.pe = launch.breakdown->pe;
    all.push_back(std::move(times));
  }
  return all;
}

const LaunchTimes* longest_of(const std::vector<LaunchTimes>& launches) {
  const LaunchTimes* longest = nullptr;
  for (const LaunchTimes& launch : launches) {
    if (longest == nullptr || launch.whole.span() > longest->whole.span()) longest = &launch;
  }
  return longest;
}

}  // namespace kb::web
