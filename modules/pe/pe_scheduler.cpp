#include "modules/pe/pe_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/base/error.h"
#include "platform/contract/composite_plan.h"

namespace kb::modules {

PeScheduler::PeScheduler(const sc_core::sc_module_name& name, NodeId node, const params::PeSchedulerParams& params,
                         PeContext& pe, elab::BlockContext& context)
    : PeBlock(name, node, pe, context),
      overhead_(params.overhead.time()),
      charge_fetch_store_(params.charge_fetch_store),
      feeder_(*this, context.scheduler, pe.tile_capacity.buffer_bytes) {}

void PeScheduler::on_task(CommandTask& task) {
  task.state = CommandState::submitted;
  submissions_.push_back(&task);
  most_submissions_ = std::max(most_submissions_, submissions_.size());
  if (overhead_ == 0_fs) {
    dispatch();
  } else if (submissions_.size() == 1) {
    scheduler().schedule(now() + overhead_, *this);
  }
}

void PeScheduler::on_event(TimeFs now, std::uint64_t) {
  dispatch();
  if (!submissions_.empty()) scheduler().schedule(now + overhead_, *this);
}

void PeScheduler::dispatch() {
  CommandTask& task = *submissions_.front();
  submissions_.pop_front();
  task.state = CommandState::in_flight;
  inflight_.push_back(&task);
  if (contract::is_composite(task.command->kind)) {
    submit(task);
    return;
  }
  if (charge_fetch_store_ && computes(task.stage)) {
    task.begin(*task.command, plan::StageType::fetch, plan::StageType::store);
  }
  log(contract::LogLevel::info,
      [&] { return fmt::format("hands {} to {}", text_of(task), topology::node_kind_name(block_of(task.stage))); });
  send(block_of(task.stage), task);
}

void PeScheduler::submit(CommandTask& task) {
  plan::PipelinePlan tiles = contract::composite_plan(*task.command, pe().tile_capacity);
  if (const auto misfit = plan::misfit(tiles, task.command->acc_dtype, pe().tile_capacity)) {
    task.start = task.end = now();
    task.status = {false, misfit->code, misfit->text};
    end(task);
    return;
  }
  log(contract::LogLevel::info, [&] { return fmt::format("splits {} into {} tiles", text_of(task), tiles.tiles()); });
  feeder_.submit(task, std::move(tiles));
}

bool PeScheduler::on_tile(CommandTask& tile) {
  return send(block_of(tile.stage), tile);
}

// Simple commands wait in front of their engine; only the feeder can be stalled (P-32).
void PeScheduler::on_accepted(CommandTask& task) {
  if (task.pipeline() != nullptr) feeder_.resume();
}

void PeScheduler::on_composite_done(CommandTask& command) {
  log(contract::LogLevel::info, [&] { return "has all tiles of " + text_of(command); });
  if (command.status.ok) report(command);
  end(command);
}

void PeScheduler::on_answer(CommandTask& task) {
  if (task.pipeline() != nullptr) {
    feeder_.tile_done(task);
  } else {
    end(task);
  }
}

void PeScheduler::end(CommandTask& task) {
  const auto entry = std::find(inflight_.begin(), inflight_.end(), &task);
  if (entry == inflight_.end()) throw Error::model(node_id() + " got an answer for a command that is not in flight");
  inflight_.erase(entry);
  complete(task);
}

void PeScheduler::complete(CommandTask& task) {
  task.state = CommandState::completed;
  ++commands_;
  if (!task.status.ok) ++failures_;
  accumulate(latency_, now() - task.submitted);
  answer(task);
}

void PeScheduler::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  if (commands_ == 0) return;
  statistics.push_back({"commands", commands_, "1"});
  statistics.push_back({"failures", failures_, "1"});
  statistics.push_back({"latency", latency_});
  statistics.push_back({"submission_queue_max", static_cast<std::int64_t>(most_submissions_), "1"});
  if (feeder_.tiles() == 0) return;
  statistics.push_back({"tiles", static_cast<std::int64_t>(feeder_.tiles()), "1"});
  statistics.push_back({"tile_buffer_least_free", static_cast<std::int64_t>(feeder_.least_free_bytes()), "B"});
}

}  // namespace kb::modules
