// ProcessGroup::new_group: communicators of some of the ranks.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "platform/base/error.h"
#include "sw/distributed/process_group.h"
#include "sw/distributed/wiring.h"
#include "sw/tensor/join.h"

namespace kb::sw {

struct ProcessGroup::Group final : Communicator {
  Group(Runtime& runtime, Members members, std::shared_ptr<BlockedRanks> waiting, SharedRingMemory rings)
      : Communicator(runtime, std::move(members), std::move(waiting)), pool(std::move(rings)) {}
  // Path and direct rings, one set at a time; the path at first.
  void lay_in(QueueInstaller& installed) {
    if (size() < 2) return;
    const Rings rings{&installed, installed.add_part(), &pool.layouts[1], &pool.layouts[0]};
    installed.lay(rings.part, rings.path->queues);
    use_rings(rings);
  }
  SharedRingMemory pool;
};

void ProcessGroup::require_group(const std::vector<int>& ranks) const {
  const auto refuse = [&](const std::string& code, const std::string& text) {
    const std::string members = ranks.empty() ? "" : " of ranks " + join(ranks);
    throw Error::program(code, "new_group" + members + ": " + text);
  };
  if (runtime().rank_waiter() != nullptr) {
    refuse("COLLECTIVE_ERROR", "a rank cannot make groups; make them in the main program, before its spawn");
  }
  if (ranks.empty()) refuse("SCHEMA_ERROR", "a group has at least one rank");
  std::set<int> seen;
  for (const int rank : ranks) {
    if (!has(rank)) {
      refuse("SCHEMA_ERROR", fmt::format("there is no rank {}; the run has ranks 0 to {}", rank, world_size() - 1));
    }
    if (!seen.insert(rank).second) refuse("SCHEMA_ERROR", fmt::format("rank {} is there twice", rank));
  }
}

Communicator& ProcessGroup::new_group(const std::vector<int>& ranks, const std::string& name) {
  require_group(ranks);
  const std::size_t number = groups_.size() + 1;
  Members members;
  members.ranks = ranks;
  members.name = name.empty() ? fmt::format("group {}", number) : name;
  members.slot_size = group_slot_size_;
  members.memory = config_.buffer_kind;
  members.links = group_prefix(static_cast<int>(number));
  members.n_slots = config_.n_slots;
  const contract::MachineInfo& machine = runtime().machine();
  const Wiring path = make_group_wiring(ranks, members.links, machine);
  const Wiring direct = make_direct_wiring(ranks, members.links, machine);
  const std::size_t rings = std::max(path.directions.size(), ranks.size() - 1);
  topology::CclConfig config = config_;
  config.slot_size = group_slot_size_;
  const std::uint64_t bytes = rings * config.n_slots * config.slot_size;
  // The pool of all ranks uses the memory that groups leave.
  drop_pool();
  ring_bytes_ += bytes;
  try {
    SharedRingMemory pool = make_ring_pool({{path, group_slot_size_}, {direct, named_slot_size_}}, config, machine,
                                           runtime().memory(), bytes);
    if (pool.layouts.front().slot_size < group_slot_size_ && ranks.size() > 1) {
      pool = {};
      plan_queues(path, config, machine, runtime().memory(), rings_per_pe_);  // throws the error with the missing size
    }
    auto group = std::make_unique<Group>(runtime(), std::move(members), waiting(), std::move(pool));
    make_pool();
    group->lay_in(installed_);
    groups_.push_back(std::move(group));
  } catch (...) {
    ring_bytes_ -= bytes;
    drop_pool();
    make_pool();
    throw;
  }
  rings_per_pe_ += rings;
  return *groups_.back();
}

}  // namespace kb::sw
