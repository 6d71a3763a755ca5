// Launches that run on a SIP at the same time and take each other's resources.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platform/contract/share_words.h"
#include "sim/analysis/findings/case.h"

namespace kb::sim {
namespace {

using contract::TimeShare;

constexpr std::size_t kLaunchesNamed = 3;
constexpr double kLeastBytes = 0.1;  // of others, to be worth a sentence

TimeFs end_of(const LaunchRecord& launch) {
  return launch.last_pe()->start + launch.last_pe()->exec;
}

TimeFs time_beside(const LaunchRecord& launch, const LaunchRecord& other) {
  return std::min(end_of(launch), end_of(other)) - std::max(launch.start, other.start);
}

// What launches that ran at the same time did with resources of this one, by number of the resource.
std::map<std::uint32_t, ResourceUse> uses_of_others(const LaunchCase& launch_case) {
  std::map<std::uint32_t, ResourceUse> sums;
  for (const ResourceUse& use : launch_case.launch.uses) sums[use.resource].resource = use.resource;
  for (const LaunchRecord* other : launches_beside(launch_case.launch, launch_case.launches)) {
    for (const ResourceUse& use : other->uses) {
      const auto shared = sums.find(use.resource);
      if (shared == sums.end()) continue;
      accumulate(shared->second.busy, use.busy);
      accumulate(shared->second.wait, use.wait);
      shared->second.bytes += use.bytes;
    }
  }
  return sums;
}

// "launch 2 (softmax, 64 PEs) for 80 % of the kernel's time"
std::string names_of(const LaunchCase& launch_case, const std::vector<const LaunchRecord*>& others) {
  std::string text;
  for (std::size_t i = 0; i < others.size() && i < kLaunchesNamed; ++i) {
    const LaunchRecord& other = *others[i];
    text += fmt::format("{}launch {} ({}), {} PE{}, for {}", i == 0 ? "" : ", ", other.id, other.name(),
                        other.summary.pes, other.summary.pes == 1 ? "" : "s",
                        percent(time_beside(launch_case.launch, other), launch_case.pe.exec));
  }
  if (others.size() > kLaunchesNamed) text += fmt::format(", and {} more", others.size() - kLaunchesNamed);
  return text + " of the kernel's time";
}

// The waits of this launch where others were served, too.
struct Shared {
  TimeFs wait = 0_fs;     // all of them
  TimeFs by_part = 0_fs;  // in proportion to the others' part of the service
  TimeFs alone = 0_fs;    // the longest time for which its own transfers keep one of these resources busy
  const ResourceUse* worst = nullptr;
  TimeFs worst_of_others = 0_fs;
};

Shared shared_waits(const LaunchCase& launch_case) {
  const std::map<std::uint32_t, ResourceUse> others = uses_of_others(launch_case);
  Shared shared;
  for (const ResourceUse& use : launch_case.launch.uses) {
    const TimeFs busy = others.at(use.resource).busy;
    if (busy == 0_fs) continue;
    shared.alone = std::max(shared.alone, use.busy / launch_case.resources[use.resource].units);
    if (use.wait == 0_fs) continue;
    accumulate(shared.wait, use.wait);
    accumulate(shared.by_part, part(use.wait, fs_to_ns(busy) / fs_to_ns(busy + use.busy)));
    if (shared.worst != nullptr && use.wait <= shared.worst->wait) continue;
    shared.worst = &use;
    shared.worst_of_others = busy;
  }
  return shared;
}

}  // namespace

std::vector<const LaunchRecord*> launches_beside(const LaunchRecord& launch, const std::deque<LaunchRecord>& launches) {
  std::vector<const LaunchRecord*> beside;
  for (const LaunchRecord& other : launches) {
    if (other.id == launch.id || other.sip.value != launch.sip.value || other.last_pe() == nullptr) continue;
    if (time_beside(launch, other) > 0_fs) beside.push_back(&other);
  }
  std::stable_sort(beside.begin(), beside.end(), [](const LaunchRecord* a, const LaunchRecord* b) {
    return a->completed - a->submitted > b->completed - b->submitted;
  });
  return beside;
}

void add_bytes_of_others(const LaunchCase& launch_case, const std::string& block, const std::string& resource,
                         Finding& finding) {
  if (launches_beside(launch_case.launch, launch_case.launches).empty()) return;
  const auto is_meant = [&](const ResourceUse& use) {
    const ResourceName& name = launch_case.resources[use.resource];
    return name.block == block && (resource.empty() || name.resource == resource);
  };
  std::uint64_t own = 0, of_others = 0;
  const std::map<std::uint32_t, ResourceUse> others = uses_of_others(launch_case);
  for (const ResourceUse& use : launch_case.launch.uses) {
    if (!is_meant(use)) continue;
    own += use.bytes;
    of_others += others.at(use.resource).bytes;
  }
  const double part_of_others =
      static_cast<double>(of_others) / static_cast<double>(std::max<std::uint64_t>(1, own + of_others));
  if (part_of_others < kLeastBytes) return;
  finding.evidence.push_back(
      fmt::format("{:.0f} % of its bytes are of launches that run at the same time", 100 * part_of_others));
}

// Without the others the launch waits less for its transfers, for messages, and for what starts and ends it.
void find_launches_beside(const LaunchCase& launch_case, Findings& findings) {
  const std::vector<const LaunchRecord*> others = launches_beside(launch_case.launch, launch_case.launches);
  if (others.empty() || launch_case.resources.empty()) return;
  const Shared shared = shared_waits(launch_case);
  if (shared.worst == nullptr) return;
  const TimeFs outside = launch_case.total() - launch_case.pe.exec;
  const TimeFs waiting = std::min(
      launch_case.exposed() + launch_case.share(TimeShare::dependency) + launch_case.share(TimeShare::tlb) + outside,
      std::max(0_fs, launch_case.total() - shared.alone));
  Finding finding = launch_case.finding("launches_beside", std::min(shared.wait, waiting),
                                        "launches that run at the same time take its resources");
  finding.counted = std::min(shared.by_part, waiting);
  const ResourceName& worst = launch_case.resources[shared.worst->resource];
  finding.evidence = {
      fmt::format("beside it runs {}", names_of(launch_case, others)),
      fmt::format("its accesses wait longest at {} of {}, {} in all; {} of what that serves is of the others",
                  worst.resource, worst.block, ns_text(shared.worst->wait),
                  percent(shared.worst_of_others, shared.worst_of_others + shared.worst->busy))};
  finding.remedy =
      "launch them one behind the other, or lay what they read and write on slices of their own, near their PEs";
  findings.push_back(std::move(finding));
}

}  // namespace kb::sim
