#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "modules/pe/command_task.h"
#include "modules/pe/pipeline_context.h"
#include "platform/elab/event_scheduler.h"
#include "platform/plan/pipeline_plan.h"

namespace kb::modules {

// Splits composites into tiles and feeds them, one composite after the other in submission order (P-32), as fast as
// tile buffers in the reserved part of the TCM become free (P-46). When a tile is fed, it takes buffers for its inputs
// and, if it is the last of its K loop, for the output. The input buffers are released after FETCH, the output buffer
// after DMA_WRITE.
//
// When a plan retains the row panel of A (P-102), the first column of tiles holds the buffers of A until the last
// column has fetched them, and a tile of another column is fed once its A has been read.
//
// When a tile fails, its composite feeds no more tiles; it ends with the cause once all tiles in flight have returned.
class TileFeeder final : private ITileOwner {
 public:
  class IUser {
   public:
    // Starts the first stage of the tile. False when the queue of that block is full; the user then calls resume()
    // later.
    virtual bool on_tile(CommandTask& tile) = 0;
    // The last tile has returned; command.status holds the result. `command.start` is the time of the first tile.
    virtual void on_composite_done(CommandTask& command) = 0;

   protected:
    ~IUser() = default;
  };

  TileFeeder(IUser& user, const elab::EventScheduler& clock, std::uint64_t buffer_bytes)
      : user_(user), clock_(clock), free_bytes_(buffer_bytes) {}

  // Precondition: each tile of the plan fits the buffers.
  void submit(CommandTask& command, plan::PipelinePlan plan);
  void tile_done(CommandTask& tile);
  void resume();

  std::uint64_t tiles() const { return tiles_.issued(); }
  std::uint64_t in_flight() const { return tiles_.outstanding(); }
  std::uint64_t least_free_bytes() const { return least_free_; }

 private:
  bool transferred(CommandTask& tile) override;
  void feed_more() override { feed(); }
  void inputs_fetched(CommandTask& tile) override;
  void feed();
  bool feed_one(PipelineContext& pipeline);
  void close(PipelineContext& pipeline);

  IUser& user_;
  const elab::EventScheduler& clock_;
  std::uint64_t free_bytes_;
  std::uint64_t least_free_ = UINT64_MAX;
  bool feeding_now_ = false;
  bool held_up_ = false;  // the latest tile waits for a place in the queue of its first block (P-32)
  std::vector<std::unique_ptr<PipelineContext>> open_;  // all composites that have not ended
  std::deque<PipelineContext*> feeding_;                // composites with tiles to feed, in submission order
  CommandPool tiles_;
};

}  // namespace kb::modules
