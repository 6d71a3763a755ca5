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

// Turns composites into tiles, one composite after the other in submission order (P-32), as fast as tile buffers in the
// TCM that is reserved for them come free (P-46). A tile takes room for its inputs, and when it is the last of its K
// loop for the output, when it is fed; the inputs are free again after FETCH, the output after DMA_WRITE.
//
// When a plan keeps the row panel of A (P-102), the first column of tiles takes the room of its tiles of A until the
// last column has fetched them, and a tile of another column is fed once its A has been read.
//
// When a tile fails, its composite feeds no more; it ends with that tile's cause once the tiles under way are back.
class TileFeeder final : private ITileOwner {
 public:
  class IUser {
   public:
    // The tile is ready for its first stage; false when that block has no room, until resume() is called.
    virtual bool on_tile(CommandTask& tile) = 0;
    // The last tile is back; command.status says how it went. `command.start` is when the first tile was fed.
    virtual void on_composite_done(CommandTask& command) = 0;

   protected:
    ~IUser() = default;
  };

  TileFeeder(IUser& user, const elab::EventScheduler& clock, std::uint64_t buffer_bytes)
      : user_(user), clock_(clock), free_bytes_(buffer_bytes) {}

  // A tile of the plan fits the buffers.
  void submit(CommandTask& command, plan::PipelinePlan plan);
  void tile_done(CommandTask& tile);
  void resume();

  std::uint64_t tiles() const { return tiles_.issued(); }
  std::uint64_t under_way() const { return tiles_.outstanding(); }
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
  bool held_up_ = false;                                // the latest tile waits for room in its first block (P-32)
  std::vector<std::unique_ptr<PipelineContext>> open_;  // all that have not ended
  std::deque<PipelineContext*> feeding_;                // those with tiles to feed, in submission order
  CommandPool tiles_;
};

}  // namespace kb::modules
