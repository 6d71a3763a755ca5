#pragma once

#include <cstdint>
#include <vector>

#include "modules/pe/accel_slot.h"
#include "modules/pe/pe_links.h"
#include "modules/pe/tile_feeder.h"
#include "platform/params/pe_scheduler_params.h"
#include "platform/plan/tile_room.h"

namespace kb::modules {

// Sole dispatcher of a PE (P-7 .. P-9).
// Models: the SubmissionQueue (filled by PE_CPU), the InflightTable, and completions in the order in which the engines
// finish; BEGIN_RESP to PE_CPU is the one completion record of a command. Only this block changes the completion state
// of a command (P-8). A simple command is one engine operation; with the attribute charge_fetch_store a GEMM or MATH
// command is FETCH (inputs) -> engine -> STORE (output), the outer two in PE_FETCH_STORE and PE_TCM.
// A composite is planned and fed tile by tile (P-10, P-32, P-46); the tiles make their own way through the engines and
// come back when they are done.
// Does not model: the time of planning.
// Timing: commands are dispatched in submission order, each overhead_ns after the later of its submission and the
// dispatch before it. Completion takes no time. An engine's failure completes the command at once.
class PeScheduler final : public PeBlock, private elab::EventHandler, private TileFeeder::IUser {
 public:
  PeScheduler(const sc_core::sc_module_name& name, NodeId node, const params::PeSchedulerParams& params, PeContext& pe,
              elab::BlockContext& context);
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;

  std::size_t in_flight() const { return inflight_.size(); }

 private:
  void on_task(CommandTask& task) override;
  void on_answer(CommandTask& task) override;
  void on_event(TimeFs now, std::uint64_t argument) override;
  bool on_tile(CommandTask& tile) override;
  void on_accepted(CommandTask& task) override;
  void on_composite_done(CommandTask& command) override;
  void dispatch();
  void submit(CommandTask& task);
  void end(CommandTask& task);
  void complete(CommandTask& task);

  TimeFs overhead_;
  bool charge_fetch_store_;
  TileFeeder feeder_;
  SlidingDeque<CommandTask*> submissions_;
  std::vector<CommandTask*> inflight_;  // dispatched and not completed; short
  std::int64_t commands_ = 0;
  std::int64_t failures_ = 0;
  std::size_t most_submissions_ = 0;
  TimeFs latency_ = 0_fs;  // total over all commands, submission to completion
};

}  // namespace kb::modules
