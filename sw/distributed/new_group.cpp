// ProcessGroup: communicators of some of the ranks.
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
  Group(Runtime& runtime, Members members, std::shared_ptr<WaitingRanks> waiting, MemoryReservation rings)
      : Communicator(runtime, std::move(members), std::move(waiting)), memory(std::move(rings)) {}
  MemoryReservation memory;
};

void ProcessGroup::require_group(const std::vector<int>& ranks) const {
  const auto refuse = [&](const std::string& code, const std::string& text) {
    const std::string of = ranks.empty() ? "" : " of ranks " + join(ranks);
    throw Error::program(code, "new_group" + of + ": " + text);
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
  const contract::MachineInfo& machine = runtime().machine();
  const Wiring wiring = make_group_wiring(ranks, members.links, machine);
  topology::CclConfig config = config_;
  config.slot_size = group_slot_size_;
  PlannedQueues planned = plan_queues(wiring, config, machine, runtime().memory(), rings_per_pe_);
  contract::QueuePlan all = installed_;
  add_queues(all, planned.plan);
  verify_queue_plan(all, machine);
  runtime().host().install_queues(all);
  installed_ = std::move(all);
  rings_per_pe_ += wiring.directions.size();
  groups_.push_back(std::make_unique<Group>(runtime(), std::move(members), waiting(), std::move(planned.memory)));
  return *groups_.back();
}

}  // namespace kb::sw
