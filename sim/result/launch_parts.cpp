#include "sim/result/launch_parts.h"

#include <algorithm>

#include "platform/contract/share_words.h"

namespace kb::sim {
namespace {

constexpr DisplayText kDelivery{"delivery", "delivery",
                                "The launch travels from the host to the PE, where a queued one waits for its turn.",
                                "", "#9aa3b2"};
constexpr DisplayText kBarrier{"barrier", "barrier",
                               "The PE waits for the common start, or for those of the launches before a queued one.",
                               "", "#c3c9d4"};
constexpr DisplayText kCompletion{"completion", "completion",
                                  "From the end of the kernel to the completion at the host.", "", "#6b7385"};

}  // namespace

const DisplayText& launch_part(std::size_t part) {
  if (part == 0) return kDelivery;
  if (part == 1) return kBarrier;
  return part - 2 == contract::kShares ? kCompletion : contract::word_of(part - 2);
}

std::vector<std::size_t> launch_part_indices() {
  std::vector<std::size_t> parts{0, 1};
  for (const std::size_t share : contract::share_indices()) parts.push_back(share + 2);
  parts.push_back(kLaunchParts - 1);
  return parts;
}

std::vector<std::string> limiter_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < contract::kPeResources; ++i) {
    names.emplace_back(word_of(static_cast<contract::PeResource>(i)).name);
  }
  for (const std::size_t part : launch_part_indices()) {
    if (is_kernel_part(part)) names.emplace_back(launch_part(part).name);
  }
  return names;
}

std::array<TimeFs, kLaunchParts> launch_parts(const LaunchRecord& launch) {
  std::array<TimeFs, kLaunchParts> parts{};
  const LaunchRecord::LastEndingPe* const pe = launch.last_pe();
  if (pe == nullptr) return parts;
  parts.front() = pe->ready - launch.submitted;
  parts[1] = pe->start - pe->ready;
  std::copy(pe->shares.time.begin(), pe->shares.time.end(), parts.begin() + 2);
  parts.back() = launch.completed - pe->start - pe->exec;
  return parts;
}

}  // namespace kb::sim
