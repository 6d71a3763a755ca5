#pragma once

#include <cstdint>

#include "modules/pe/accel_slot.h"
#include "modules/pe/pe_links.h"
#include "modules/pe/probe.h"
#include "platform/params/shared_resource.h"

namespace kb::modules {

// Common part of the engines of a PE. The engine executes one command at a time while it holds a compute slot: the PE's
// accel_slot (P-39) or, with shared_resource none, its own slot.
// Timing: a command that gets the slot at t is done at t + max(overhead_ns, work), and the slot goes to the next
// command at that time. A tile keeps the slot from its product through its k_tile epilogues (P-17), on whichever engine
// they run.
class AccelEngine : public PeBlock, public AccelSlot::IUser, private elab::EventHandler {
 public:
  // overhead: minimum time of a command. queue_depth, shared: the parameters of these names.
  AccelEngine(const sc_core::sc_module_name& name, NodeId node, TimeFs overhead, std::int64_t queue_depth,
              params::SharedResource shared, PeContext& pe, elab::BlockContext& context);

  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;

 protected:
  // Time of the task's stage by its size; the stage lasts at least overhead_ns. Called once per stage.
  virtual TimeFs work(CommandTask& task) = 0;

 private:
  void on_task(CommandTask& task) final;
  bool has_room(const CommandTask& task) const final;
  void on_accepted(CommandTask& task) final;
  void on_grant(CommandTask& task) final;
  bool ready() const final { return !stalled_; }
  void start(CommandTask& task);
  TimeFs foreign_work(CommandTask& task);
  void on_event(TimeFs now, std::uint64_t argument) final;

  TimeFs overhead_;
  const bool foreign_;  // work() is code of a plug-in or of a user's program
  const engine::EngineId engine_;
  std::size_t queue_depth_;
  bool stalled_ = false;             // the finished command waits because the next queue is full
  CommandTask* deferred_ = nullptr;  // slot holder that arrived while stalled; may be null
  AccelSlot own_slot_;
  AccelSlot& slot_;
  CommandTask* running_ = nullptr;
  SlidingDeque<TimeFs> arrivals_;  // arrival times of the commands that wait for the slot
  Probe busy_probe_;
  std::int64_t commands_ = 0;
  TimeFs busy_ = 0_fs;
  TimeFs slot_wait_ = 0_fs;
};

}  // namespace kb::modules
