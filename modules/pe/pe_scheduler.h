#pragma once

#include <cstdint>
#include <vector>

#include "modules/pe/accel_slot.h"
#include "modules/pe/pe_links.h"
#include "modules/pe/tile_feeder.h"
#include "platform/params/pe_scheduler_params.h"
#include "platform/plan/tile_capacity.h"

namespace kb::modules {

// Sole dispatcher of a PE (P-7 .. P-9).
// Models: the SubmissionQueue (filled by PE_CPU), the InflightTable, and completions in the order in which the engines
// finish; BEGIN_RESP to PE_CPU is the one completion record of a command. Only this block changes the completion state
// of a command (P-8). A simple command is one engine operation; with the attribute charge_fetch_store a GEMM or MATH
// command becomes FETCH (inputs) -> engine -> STORE (output), where PE_FETCH_STORE and PE_TCM execute FETCH and STORE.
// A composite is planned and fed tile by tile (P-10, P-32, P-46); the tiles go from engine to engine and return when
// they are done.
// Does not model: planning time.
// Timing: commands are dispatched in submission order, each overhead_ns after its submission or the previous dispatch,
// whichever is later. Completion takes no time. A failure of an engine completes the command immediately.
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
  std::vector<CommandTask*> inflight_;  // dispatched and not completed; few entries
  std::int64_t commands_ = 0;
  std::int64_t failures_ = 0;
  std::size_t most_submissions_ = 0;
  TimeFs latency_ = 0_fs;  // sum over all commands, submission to completion
};

}  // namespace kb::modules
