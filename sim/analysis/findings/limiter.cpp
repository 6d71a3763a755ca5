#include "sim/analysis/findings/limiter.h"

#include <algorithm>

#include "platform/contract/share_words.h"
#include "platform/observe/text_table.h"
#include "sim/analysis/findings/case.h"

namespace kb::sim {
namespace {

using contract::PeResource;
using contract::TimeShare;

}  // namespace

std::string Limiter::text(TimeFs kernel) const {
  return phrase + ", " + observe::fixed(100.0 * fs_to_ns(time) / fs_to_ns(kernel), 1) + " %";
}

std::optional<Limiter> limiter_of(const LaunchRecord& launch) {
  const LaunchRecord::LastEndingPe* const pe = launch.last_pe();
  if (pe == nullptr || pe->exec == 0_fs) return std::nullopt;
  const PeResource resource = pe->shares.limiter();
  const TimeFs busy = pe->shares.of(resource);
  if (busy >= pe->exec - pe->exec / 2) {
    const DisplayText& word = word_of(resource);
    return Limiter{std::string(word.name), std::string(word.phrase), busy};
  }
  const auto& times = pe->shares.time;
  const auto largest = std::max_element(times.begin(), times.end());
  if (*largest == 0_fs) return std::nullopt;
  const auto share = static_cast<std::size_t>(largest - times.begin());
  const bool messages = share == contract::share_index(TimeShare::dependency) && launch.awaited;
  const DisplayText& word = contract::word_of(share);
  return Limiter{std::string(word.name),
                 messages ? "waited for messages, mostly from " + pe_name(*launch.awaited) : std::string(word.phrase),
                 *largest};
}

void name_awaited(std::deque<LaunchRecord>& launches, const MessageWaits& waits) {
  for (LaunchRecord& launch : launches) {
    const LaunchRecord::LastEndingPe* const pe = launch.last_pe();
    if (pe == nullptr) continue;
    const auto peer = waits.most_awaited(pe->pe, pe->start, pe->start + pe->exec);
    if (peer) launch.awaited = peer->sender;
  }
}

}  // namespace kb::sim
