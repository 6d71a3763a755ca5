#include "sw/distributed/rendezvous.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/base/error.h"
#include "platform/contract/kernel_launch.h"
#include "sw/tensor/join.h"

namespace kb::sw {
namespace {

Error collective_error(const std::string& text) {
  return Error::program("COLLECTIVE_ERROR", text);
}

// "rank 3", "ranks 1, 2"
std::string ranks_text(const std::vector<int>& ranks) {
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", join(ranks));
}

}  // namespace

Rendezvous::Rendezvous(Runtime& runtime, std::shared_ptr<BlockedRanks> waiting, std::vector<int> ranks,
                       const std::string& group)
    : runtime_(runtime),
      waiting_(std::move(waiting)),
      ranks_(std::move(ranks)),
      of_group_(group.empty() ? "" : fmt::format(" of group '{}'", group)) {}

int Rendezvous::require_member(const std::string& what) const {
  const bool spawned = runtime_.rank_waiter() != nullptr;
  const int rank = spawned ? runtime_.rank() : 0;
  const int ranks = spawned ? runtime_.world_size() : 1;
  if (ranks != waiting_->world_size) {
    throw collective_error(fmt::format("{} is called by {} rank{}, but {} {}; spawn as many ranks as the group has",
                                       what, ranks, ranks == 1 ? "" : "s",
                                       of_group_.empty() ? "the group has" : "the group of all ranks has",
                                       waiting_->world_size));
  }
  if (std::find(ranks_.begin(), ranks_.end(), rank) == ranks_.end()) {
    throw collective_error(
        fmt::format("rank {} calls {}{}, which has only {}", rank, what, of_group_, ranks_text(ranks_)));
  }
  return rank;
}

void Rendezvous::attend(Entry entry) {
  const int rank = require_member(entry.what);
  waiting_->in[rank] = entry.what + of_group_;
  try {
    attend_as(rank, std::move(entry));
  } catch (...) {
    arrived_.erase(rank);  // prepares for the next spawn
    waiting_->in.erase(rank);
    throw;
  }
}

void Rendezvous::attend_as(int rank, Entry entry) {
  const std::string what = entry.what;
  arrived_[rank] = std::move(entry);
  if (arrived_.size() < ranks_.size()) {
    if (runtime_.rank_waiter()->meet(fmt::format("the other ranks in {}{}", what, of_group_))) return;
    throw collective_error(fmt::format("rank {} waits in {}{} for {}{}", rank, what, of_group_, absent(), everybody()));
  }
  require_agreement();
  if (const auto& prepare = arrived_[rank].prepare) prepare();
  std::vector<std::shared_ptr<contract::KernelLaunch>> parts;
  for (const auto& [other, brought] : arrived_) {
    parts.insert(parts.end(), brought.launch.parts.begin(), brought.launch.parts.end());
    waiting_->in.erase(other);
  }
  if (parts.size() > 1) runtime_.start_together(parts);
  arrived_.clear();
  if (runtime_.rank_waiter() != nullptr) runtime_.rank_waiter()->end_rendezvous(ranks_);
}

void Rendezvous::require_agreement() const {
  std::map<std::string, std::vector<int>> said;
  for (const auto& [rank, entry] : arrived_) said[entry.what].push_back(rank);
  if (said.size() == 1) return;
  std::string text;
  for (const auto& [what, ranks] : said) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", ranks_text(ranks), what);
  }
  throw collective_error(fmt::format("the ranks{} disagree about their collective: {}", of_group_, text));
}

std::string Rendezvous::absent() const {
  std::map<std::string, std::vector<int>> reasons;
  for (const int rank : ranks_) {
    if (arrived_.count(rank) != 0) continue;
    const auto elsewhere = waiting_->in.find(rank);
    reasons[elsewhere == waiting_->in.end() ? "" : elsewhere->second].push_back(rank);
  }
  std::string text;
  for (const auto& [where, ranks] : reasons) {
    const bool one = ranks.size() == 1;
    text += fmt::format("{}{}, which {}", text.empty() ? "" : "; ", ranks_text(ranks),
                        where.empty() ? (one ? "has ended without it" : "have ended without it")
                                      : fmt::format("wait{} in {}", one ? "s" : "", where));
  }
  return text;
}

// Describes the waits of all ranks, for a rendezvous that cannot take place.
std::string Rendezvous::everybody() const {
  std::map<std::string, std::vector<int>> places;
  bool outsiders = false;
  for (int rank = 0; rank < waiting_->world_size; ++rank) {
    const auto in = waiting_->in.find(rank);
    places[in == waiting_->in.end() ? "" : in->second].push_back(rank);
    outsiders = outsiders || std::find(ranks_.begin(), ranks_.end(), rank) == ranks_.end();
  }
  if (!outsiders) return "";
  std::string text;
  for (const auto& [where, ranks] : places) {
    const bool one = ranks.size() == 1;
    text += fmt::format(
        "{}{} {}", text.empty() ? " (of all ranks: " : "; ", ranks_text(ranks),
        where.empty() ? (one ? "has ended" : "have ended") : fmt::format("wait{} in {}", one ? "s" : "", where));
  }
  return text + ")";
}

}  // namespace kb::sw
