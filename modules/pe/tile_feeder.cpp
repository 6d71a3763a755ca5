#include "modules/pe/tile_feeder.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"

namespace kb::modules {

void TileFeeder::submit(CommandTask& command, plan::PipelinePlan plan) {
  auto pipeline = std::make_unique<PipelineContext>(command, std::move(plan));
  feeding_.push_back(pipeline.get());
  open_.push_back(std::move(pipeline));
  feed();
}

// Guards against recursion: a tile that takes no time completes inside on_tile().
void TileFeeder::feed() {
  if (feeding_now_) return;
  feeding_now_ = true;
  while (!held_up_ && !feeding_.empty() && feed_one(*feeding_.front())) {
  }
  feeding_now_ = false;
}

void TileFeeder::resume() {
  held_up_ = false;
  feed();
}

// Returns false when the composite must wait for a buffer, or for a tile of A that it retains.
bool TileFeeder::feed_one(PipelineContext& pipeline) {
  if (pipeline.fed == pipeline.plan.tiles() || !pipeline.command->status.ok) {
    feeding_.pop_front();
    if (pipeline.fed == pipeline.completed) close(pipeline);
    return true;
  }
  const plan::Tile tile = pipeline.plan.tile(pipeline.fed);
  const std::uint64_t kept = tile.column == 0 ? pipeline.plan.kept_bytes() : 0;
  const std::uint64_t needed =
      kept + pipeline.plan.input_buffer_bytes(tile) + (tile.last_k ? pipeline.plan.output_buffer_bytes() : 0);
  if (needed > free_bytes_ || !pipeline.has_a(tile)) return false;
  free_bytes_ -= needed;
  pipeline.kept_bytes += kept;
  least_free_ = std::min(least_free_, free_bytes_);
  if (pipeline.fed++ == 0) pipeline.command->start = clock_.now();
  held_up_ = !user_.on_tile(tiles_.acquire_tile(pipeline, *this, tile));
  return true;
}

bool TileFeeder::transferred(CommandTask& tile) {
  PipelineContext& pipeline = *tile.pipeline();
  const bool of_a = tile.stage.type == plan::StageType::dma_read && tile.stage.operand == plan::TileOperand::a;
  if (!of_a || !pipeline.plan.reuses_a() || !tile.status.ok) return false;
  pipeline.rows_read[static_cast<std::size_t>(tile.tile().depth)] = tile.tile().row + 1;
  return true;
}

void TileFeeder::inputs_fetched(CommandTask& tile) {
  PipelineContext& pipeline = *tile.pipeline();
  free_bytes_ += pipeline.plan.input_buffer_bytes(tile.tile());
  if (pipeline.plan.is_last_column(tile.tile())) {
    free_bytes_ += pipeline.plan.kept_bytes();
    pipeline.kept_bytes -= pipeline.plan.kept_bytes();
  }
  feed();
}

void TileFeeder::tile_done(CommandTask& tile) {
  PipelineContext& pipeline = *tile.pipeline();
  if (++pipeline.completed > pipeline.fed) throw Error::model("a tile of a composite was completed twice");
  if (!tile.status.ok) {
    if (pipeline.command->status.ok) pipeline.command->status = tile.status;
    if (tile.stage.type == plan::StageType::dma_read) {
      free_bytes_ += pipeline.plan.input_buffer_bytes(tile.tile());
    }
  }
  if (tile.tile().last_k) free_bytes_ += pipeline.plan.output_buffer_bytes();
  tiles_.release(tile);
  const bool waits_for_feed = std::find(feeding_.begin(), feeding_.end(), &pipeline) != feeding_.end();
  if (!waits_for_feed && pipeline.completed == pipeline.fed) close(pipeline);
  feed();
}

void TileFeeder::close(PipelineContext& pipeline) {
  CommandTask& command = *pipeline.command;
  command.end = clock_.now();
  free_bytes_ += pipeline.kept_bytes;  // releases the tiles of A that a failed composite retained
  open_.erase(std::find_if(open_.begin(), open_.end(), [&](const auto& open) { return open.get() == &pipeline; }));
  user_.on_composite_done(command);
}

}  // namespace kb::modules
