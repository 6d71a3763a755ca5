#include "sim/run/driver/deadlock.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "platform/base/names.h"

namespace kb::sim {
namespace {

constexpr std::size_t kMaxShown = 3;  // maximum number of reported cycles, and of chains
constexpr std::size_t kMaxLinks = 12;

using Path = std::vector<PeCoord>;

// A blocked PE: the PEs that it waits for, and its kernel.
struct Blocked {
  const elab::WaitInfo* queue = nullptr;
  const elab::WaitInfo* kernel = nullptr;
};

class Diagnosis {
 public:
  explicit Diagnosis(const std::vector<elab::WaitInfo>& waits) {
    for (const elab::WaitInfo& wait : waits) {
      if (!wait.pe) continue;
      Blocked& blocked = pes_[*wait.pe];
      const elab::WaitInfo*& slot = wait.on.empty() ? blocked.kernel : blocked.queue;
      if (slot == nullptr) slot = &wait;
    }
  }

  std::string text() {
    for (const auto& [pe, blocked] : pes_) {
      if (blocked.queue != nullptr && seen_.count(pe) == 0) follow(pe);
    }
    std::string out;
    for (const Path& cycle : cycles_) {
      out += fmt::format("Deadlock: {} wait for each other in a cycle.\n",
                         cycle.size() == 1 ? "messages of one PE" : fmt::format("{} PEs", cycle.size()));
      out += links(cycle);
    }
    out += more(cycle_count_, cycles_.size(), "cycles");
    for (const Path& chain : chains_) {
      out += fmt::format("Nobody is left who could go on: {}.\n", end_of(chain.back()));
      out += links(Path(chain.begin(), chain.end() - 1));
    }
    out += more(chain_count_, chains_.size(), "chains");
    if (cycle_count_ > 0) {
      out +=
          "  Somebody has to send before it receives, or to receive in the direction in which its neighbour's "
          "messages arrive. Where a PE waits for a free slot, its receiver has to take messages before it sends, or "
          "the queues need more slots (n_slots).\n";
    }
    return out;
  }

 private:
  // Follows the waits until a PE repeats, or until one waits for no PE.
  void follow(PeCoord pe) {
    Path path;
    std::set<PeCoord> on_path;
    while (true) {
      const auto found = pes_.find(pe);
      const elab::WaitInfo* const wait = found == pes_.end() ? nullptr : found->second.queue;
      path.push_back(pe);
      if (wait == nullptr) return keep(chains_, chain_count_, path);
      if (!on_path.insert(pe).second) {
        const auto begin = std::find(path.begin(), path.end(), pe);
        return keep(cycles_, cycle_count_, Path(begin, path.end() - 1));
      }
      if (!seen_.insert(pe).second) return;  // leads to a known result
      pe = wait->on.front();
    }
  }
  static void keep(std::vector<Path>& kept, std::size_t& count, Path path) {
    if (++count <= kMaxShown) kept.push_back(std::move(path));
  }

  std::string links(const Path& path) const {
    std::string out;
    for (std::size_t i = 0; i < std::min(path.size(), kMaxLinks); ++i) {
      const Blocked& blocked = pes_.at(path[i]);
      const std::string& who = blocked.kernel != nullptr ? blocked.kernel->who : blocked.queue->who;
      const std::string line = blocked.kernel != nullptr ? blocked.kernel->detail : "";
      out += fmt::format("  {}{}{} waits for {}\n", who, line.empty() ? "" : " at ", line, blocked.queue->what);
      if (!blocked.queue->detail.empty()) out += fmt::format("    {}\n", blocked.queue->detail);
    }
    if (path.size() > kMaxLinks) out += fmt::format("  ... and {} more\n", path.size() - kMaxLinks);
    return out;
  }

  std::string end_of(const PeCoord& pe) const {
    const auto found = pes_.find(pe);
    if (found == pes_.end() || found->second.kernel == nullptr) return pe_name(pe) + " runs no kernel";
    return fmt::format("{} waits for {}", found->second.kernel->who, found->second.kernel->what);
  }

  static std::string more(std::size_t count, std::size_t shown, const char* what) {
    return count > shown ? fmt::format("  ... and {} more {}\n", count - shown, what) : "";
  }

  std::map<PeCoord, Blocked> pes_;
  std::set<PeCoord> seen_;
  std::vector<Path> cycles_, chains_;
  std::size_t cycle_count_ = 0, chain_count_ = 0;
};

}  // namespace

std::string diagnose_deadlock(const std::vector<elab::WaitInfo>& waits) {
  return Diagnosis(waits).text();
}

}  // namespace kb::sim
