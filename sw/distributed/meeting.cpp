#include "sw/distributed/meeting.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "platform/base/error.h"
#include "sw/tensor/join.h"

namespace kb::sw {

Meeting::Meeting(Runtime& runtime, std::vector<int> ranks) : runtime_(runtime), ranks_(std::move(ranks)) {}

void Meeting::attend(Entry entry) {
  const bool spawned = runtime_.rank_waiter() != nullptr;
  const int rank = spawned ? runtime_.rank() : 0;
  const int ranks = spawned ? runtime_.world_size() : 1;
  if (ranks != static_cast<int>(ranks_.size())) {
    throw Error::program(
        "COLLECTIVE_ERROR",
        fmt::format("{} is called by {} rank{}, but the group has {}; spawn as many ranks as the group "
                    "has",
                    entry.what, ranks, ranks == 1 ? "" : "s", ranks_.size()));
  }
  try {
    attend_as(rank, std::move(entry));
  } catch (...) {
    came_.erase(rank);  // the next spawn meets anew
    throw;
  }
}

void Meeting::attend_as(int rank, Entry entry) {
  const std::string what = entry.what;
  came_[rank] = std::move(entry);
  if (came_.size() < ranks_.size()) {
    if (runtime_.rank_waiter()->meet(fmt::format("the other ranks in {}", what))) return;
    throw Error::program("COLLECTIVE_ERROR", fmt::format("rank {} waits in {} for {}", rank, what, absent()));
  }
  require_agreement();
  std::vector<std::shared_ptr<contract::KernelLaunch>> parts;
  for (const auto& [other, brought] : came_) {
    parts.insert(parts.end(), brought.launch.parts.begin(), brought.launch.parts.end());
  }
  if (parts.size() > 1) runtime_.start_together(parts);
  came_.clear();
  if (runtime_.rank_waiter() != nullptr) runtime_.rank_waiter()->end_meeting();
}

void Meeting::require_agreement() const {
  std::map<std::string, std::vector<int>> groups;
  for (const auto& [rank, entry] : came_) groups[entry.what].push_back(rank);
  if (groups.size() == 1) return;
  std::string text;
  for (const auto& [what, ranks] : groups) {
    text += fmt::format("{}rank{} {}: {}", text.empty() ? "" : "; ", ranks.size() == 1 ? "" : "s", join(ranks), what);
  }
  throw Error::program("COLLECTIVE_ERROR", "the ranks disagree about their collective: " + text);
}

std::string Meeting::absent() const {
  std::vector<int> missing;
  for (const int rank : ranks_) {
    if (came_.count(rank) == 0) missing.push_back(rank);
  }
  return fmt::format("rank{} {}, which ha{} ended without it", missing.size() == 1 ? "" : "s", join(missing),
                     missing.size() == 1 ? "s" : "ve");
}

}  // namespace kb::sw
